/* pipeline/exit_code.c - errors to exit codes, those of sysexits.h. */
#include "pipeline/exit_code.h"

#include "ops/backend.h"
#include "output/output.h"
#include "pipeline/pdf.h"
#include "pipeline/writer.h"
#include "vlm/error.h"

#include <glib.h>

static DpExit
code_of_pdf (DpPdfError code)
{
  switch (code) {
  case DP_PDF_ERROR_NOT_FOUND: return DP_EXIT_NO_INPUT;
  case DP_PDF_ERROR_PASSWORD: return DP_EXIT_PASSWORD;
  case DP_PDF_ERROR_NOT_PDF:
  case DP_PDF_ERROR_PAGE:
  case DP_PDF_ERROR_STRIKES: return DP_EXIT_DATA;
  case DP_PDF_ERROR_SYSTEM: break;
  }
  return DP_EXIT_PARTLY;
}

DpExit
dp_exit_code_of (const GError *error)
{
  if (error->domain == DP_PDF_ERROR)
    return code_of_pdf ((DpPdfError) error->code);
  if (error->domain == DP_WRITER_ERROR)
    return error->code == DP_WRITER_ERROR_IS_INPUT ? DP_EXIT_USAGE : DP_EXIT_CANNOT_WRITE;
  if (error->domain == DP_RANGES_ERROR || error->domain == G_OPTION_ERROR)
    return DP_EXIT_USAGE;
  if (g_error_matches (error, G_FILE_ERROR, G_FILE_ERROR_INVAL)) /* a terminal, a device */
    return DP_EXIT_DATA;
  if (g_error_matches (error, G_FILE_ERROR, G_FILE_ERROR_NOSPC))
    return DP_EXIT_CANNOT_WRITE;
  if (error->domain == G_FILE_ERROR) /* a pipe, the password file */
    return DP_EXIT_NO_INPUT;
  if (error->domain == DP_VLM_ERROR) /* the model's folder */
    return error->code == DP_VLM_ERROR_MISSING ? DP_EXIT_NO_INPUT : error->code == DP_VLM_ERROR_MALFORMED ? DP_EXIT_DATA : DP_EXIT_USAGE;
  if (error->domain == DP_OPS_ERROR) /* a back end */
    return DP_EXIT_NO_DEVICE;
  if (error->domain == DP_OUTPUT_ERROR) /* the writers of output/ */
    return DP_EXIT_CANNOT_WRITE;
  return DP_EXIT_PARTLY;
}

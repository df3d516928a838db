/* pipeline/late_png.c - libpng, linked when it is first called; see late.h. */
#include "pipeline/late.h"

#include <png.h>

/* clang-format off */
#define PNG(F) \
  F (png_infop, png_create_info_struct, (png_const_structrp png), (png)) \
  F (png_structp, png_create_write_struct, (png_const_charp version, png_voidp data, png_error_ptr on_error, png_error_ptr on_warning), (version, data, on_error, on_warning)) \
  F (void, png_destroy_write_struct, (png_structpp png, png_infopp info), (png, info)) \
  F (png_voidp, png_get_io_ptr, (png_const_structrp png), (png)) \
  F (png_const_charp, png_get_libpng_ver, (png_const_structrp png), (png)) \
  F (void, png_set_IHDR, (png_const_structrp png, png_inforp info, png_uint_32 width, png_uint_32 height, int depth, int colour, int interlace, int compression, int filter), (png, info, width, height, depth, colour, interlace, compression, filter)) \
  F (void, png_set_compression_level, (png_structrp png, int level), (png, level)) \
  F (jmp_buf *, png_set_longjmp_fn, (png_structrp png, png_longjmp_ptr function, size_t size), (png, function, size)) \
  F (void, png_set_pHYs, (png_const_structrp png, png_inforp info, png_uint_32 x, png_uint_32 y, int unit), (png, info, x, y, unit)) \
  F (void, png_set_write_fn, (png_structrp png, png_voidp data, png_rw_ptr write, png_flush_ptr flush), (png, data, write, flush)) \
  F (void, png_write_end, (png_structrp png, png_inforp info), (png, info)) \
  F (void, png_write_info, (png_structrp png, png_const_inforp info), (png, info)) \
  F (void, png_write_row, (png_structrp png, png_const_bytep row), (png, row))
/* clang-format on */

DP_LATE_LIBRARY (PNG, DP_PNG_LIBRARY)

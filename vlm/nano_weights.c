/* vlm/nano_weights.c - takes the files of vlm/nano/weights into the program.
 *
 * .incbin is the assembler's; GCC and Clang both pass it on, and 13 MB of C initialisers would take a minute to compile.
 */
#include "vlm/nano_weights.h"

#include <string.h>

#define INCLUDE(symbol, path)                                                                                                              \
  __asm__(".pushsection .rodata\n"                                                                                                         \
          ".balign 64\n"                                                                                                                   \
          ".globl " #symbol "\n"                                                                                                           \
          ".hidden " #symbol "\n" #symbol ":\n"                                                                                            \
          ".incbin \"" path "\"\n"                                                                                                         \
          ".globl " #symbol "_end\n"                                                                                                       \
          ".hidden " #symbol "_end\n" #symbol "_end:\n"                                                                                    \
          ".byte 0\n"                                                                                                                      \
          ".popsection\n");                                                                                                                \
  extern const guint8 symbol[], symbol##_end[]

INCLUDE (dp_nano_config_json, "vlm/nano/weights/config.json");
INCLUDE (dp_nano_tokenizer_json, "vlm/nano/weights/tokenizer.json");
INCLUDE (dp_nano_model_safetensors, "vlm/nano/weights/model.safetensors");

DpNanoFile
dp_nano_file (const char *name)
{
  const struct {
    const char *name;
    const guint8 *from, *to;
  } files[] = {
    { "config.json", dp_nano_config_json, dp_nano_config_json_end },
    { "tokenizer.json", dp_nano_tokenizer_json, dp_nano_tokenizer_json_end },
    { "model.safetensors", dp_nano_model_safetensors, dp_nano_model_safetensors_end },
  };

  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    if (strcmp (files[i].name, name) == 0)
      return (DpNanoFile){ files[i].name, files[i].from, (gsize) (files[i].to - files[i].from) };
  return (DpNanoFile){ name, NULL, 0 };
}

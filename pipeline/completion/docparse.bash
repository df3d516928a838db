# pipeline/completion/docparse.bash - completion of docparse for bash.

_docparse_list () { # WORDS: completes the last word of a comma-separated list
  local done='' last=$cur
  case $cur in *,*) done=${cur%,*}, last=${cur##*,} ;; esac
  COMPREPLY=($(compgen -P "$done" -W "$1" -- "$last"))
  compopt -o nospace
}

_docparse () {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
  COMPREPLY=()
  # bash splits --option=value at the sign
  if [ "$cur" = = ]; then cur=''; elif [ "$prev" = = ]; then prev=${COMP_WORDS[COMP_CWORD - 2]}; fi

  case $prev in
    -t | --to) _docparse_list 'md html txt json content-list pdf'; return ;;
    --keep) _docparse_list 'header footer page-number footnote hidden aside annotation field'; return ;;
    --layout) COMPREPLY=($(compgen -W 'plain mineru' -- "$cur")); return ;;
    --tables) COMPREPLY=($(compgen -W 'auto html pipe' -- "$cur")); return ;;
    --images) COMPREPLY=($(compgen -W 'off placeholder embedded referenced' -- "$cur")); return ;;
    -m | --method) COMPREPLY=($(compgen -W 'auto text ocr' -- "$cur")); return ;;
    --weights) COMPREPLY=($(compgen -W 'bf16 int8 int4 f32' -- "$cur")); return ;;
    --kv-type) COMPREPLY=($(compgen -W 'bf16 int8 f32' -- "$cur")); return ;;
    --model) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
    --log-format) COMPREPLY=($(compgen -W 'text json' -- "$cur")); return ;;
    -o | --output | --report | --password-file) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
    -p | --pages | -j | --jobs | --password | --image-dpi | --ocr-dpi | --page-break | --page-timeout | --max-memory | --threads | --kv-page-size | --memory-budget) return ;;
    --device) [ "${COMP_WORDS[1]}" = selftest ] || COMPREPLY=($(compgen -W 'cpu reference' -- "$cur")); return ;;
  esac

  if [ "${COMP_WORDS[1]}" = selftest ] && [ "$COMP_CWORD" -gt 1 ]; then
    case $prev in --device | --op | --cases | --seed | --index | --threads) return ;; esac
    COMPREPLY=($(compgen -W '--device --op --cases --seed --index --threads --help' -- "$cur"))
    return
  fi
  if [[ $cur == -* ]]; then
    local options='--pages --password --password-file --method --ocr-dpi --jobs --page-timeout --max-memory
      --quiet --verbose --log-format --help --version'
    [ "${COMP_WORDS[1]}" = inspect ] || options="$options --output --to --layout --overlay --resume --overwrite --report
      --keep --tables --images --image-dpi --figure-text --no-tags --page-break --model --weights --kv-type --kv-page-size
      --memory-budget --image-analysis --no-penalties --device --threads --eager --strict-backend"
    COMPREPLY=($(compgen -W "$options" -- "$cur"))
    return
  fi
  compopt -o filenames
  COMPREPLY=($(compgen -d -- "$cur") $(compgen -f -X '!*.@(pdf|PDF|png|PNG|jpg|JPG|jpeg|JPEG|tif|TIF|tiff|TIFF)' -- "$cur"))
  [ "$COMP_CWORD" -ne 1 ] || COMPREPLY+=($(compgen -W 'convert inspect devices selftest doctor help' -- "$cur"))
}

shopt -s extglob
complete -F _docparse docparse

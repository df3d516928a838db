#!/bin/sh
# The command line from outside: exit codes, where files go, what is said where, signals,
# and that every option is in the manual and in the completions.
set -u
cd "$(dirname "$0")/../.." || exit 1
root=$(pwd)
docparse=${DOCPARSE:-$root/build/docparse}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
samples=$root/samples
n=0
failures=0

ok () { # CONDITION NAME
  n=$((n + 1))
  if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; failures=$((failures + 1)); fi
}
says () { # FILE TEXT: 0 if the file contains the text
  grep -qF -- "$2" "$1"
}
run () { # WANTED-CODE ARGUMENTS...: stdout and stderr go to files out and err
  want=$1; shift
  "$docparse" "$@" >out 2>err </dev/null
  got=$?
  [ $got -eq "$want" ] || { echo "# docparse $*: exit $got, wanted $want"; sed 's/^/# /' err; return 1; }
}
run_blind () { # the same with a model that cannot be opened: pages without text stay unread
  DOCPARSE_NANO_DIR=$dir/no-such-folder; export DOCPARSE_NANO_DIR
  run "$@"; blind=$?
  unset DOCPARSE_NANO_DIR
  return $blind
}
none_left () { # no temporary files below DIR
  [ -z "$(find "$1" -name '.docparse-*')" ]
}

cp "$samples/letter.pdf" "$samples/lists.pdf" "$samples/mixed-scan.pdf" .
printf 'no document\n' >text.pdf

# ---- exit codes ------------------------------------------------------------------------------
run 0 letter.pdf -o a.md && [ -s a.md ] && [ ! -s err ] && [ ! -s out ]; ok $? "a good document: exit 0 and silence"
run 0 mixed-scan.pdf -o b.md && [ ! -s err ] && says b.md 'Westport Museum'; ok $? "a scanned page is read: exit 0 and silence"
run_blind 1 mixed-scan.pdf -o b.md && says err 'mixed-scan.pdf: page 2:' && says err 'needs a model' && [ -s b.md ]
ok $? "a page that nobody could read: exit 1, written, named"
python3 -c "
data = bytearray(open('letter.pdf', 'rb').read()); at = data.index(b'stream') + 20
data[at:at + 40] = 40 * b'x'; open('hurt.pdf', 'wb').write(data)"
run 1 hurt.pdf -o hurt.md && says err 'hurt.pdf: page 1: the page is damaged' && says hurt.md 'page 1 could not be read: the page is damaged'
ok $? "a page with damaged content: exit 1, named once, and said where it was"
run 64; ok $? "no input: 64"
run 64 --nope letter.pdf && [ "$(wc -l <err)" -eq 1 ] && says err '--nope' && says err '--help'; ok $? "an unknown option: 64, one line, a hint"
run 64 letter.pdf --pages 0 && says err 'counted from 1'; ok $? "page 0: 64"
run 64 letter.pdf --pages 9 && says err 'has 1'; ok $? "a page that is not there: 64"
run 65 text.pdf && says err 'text.pdf: '; ok $? "not a PDF: 65"
: >empty.pdf; run 65 empty.pdf; ok $? "an empty file: 65"
run 66 missing.pdf && says err 'missing.pdf: '; ok $? "no such file: 66"
mkdir empty; run 66 empty; ok $? "a directory without documents: 66"
run 66 letter.pdf --password-file missing; ok $? "no such password file: 66"
run 69 letter.pdf -o - --device nope && says err "'nope'" && [ ! -s out ]; ok $? "no such back end: 69"
run 69 mixed-scan.pdf -o - --device reference:7 && says err 'no device 7' && [ ! -s out ]; ok $? "no such device of a back end: 69"
run 74 letter.pdf -o a.md/below.md && says err 'a.md'; ok $? "cannot write: 74"
if [ -c /dev/full ]; then
  "$docparse" letter.pdf -o - >/dev/full 2>err; [ $? -eq 74 ]; ok $? "a full device on stdout: 74"
fi
for command in --help --version doctor devices; do
  if [ -c /dev/full ]; then
    "$docparse" $command >/dev/full 2>err; [ $? -eq 74 ] && says err 'standard output'; ok $? "$command to a full device: 74"
  fi
done
"$docparse" letter.pdf -o - >&- 2>err; [ $? -eq 74 ] && says err 'standard output'; ok $? "a closed standard output: 74, and no other file is written"
timeout 20 "$docparse" - <&- >out 2>err; [ $? -eq 65 ]; ok $? "a closed standard input: 65"
"$docparse" letter.pdf -o closed.md <&- >&- 2>&- && [ -s closed.md ]; ok $? "all three closed: the document is written"
run 1 letter.pdf text.pdf -o many/ && [ -s many/letter.md ] && says err '2 documents'; ok $? "one of two fails: 1, the other is written"
run 65 text.pdf empty.pdf -o many/; ok $? "both fail alike: their code"
run 1 text.pdf missing.pdf -o many/; ok $? "both fail differently: 1"
run 64 letter.pdf lists.pdf -o a.md && says err 'DIR/'; ok $? "two documents into one file: 64"

# ---- what the program is linked with ---------------------------------------------------------------------
# Each library that is not needed by every run costs every run: cairo, fontconfig, libpng (pipeline/late.h), poppler and
# Leptonica (layout/library.h) are loaded when they are called, GIO not at all.
if command -v readelf >/dev/null; then
  linked=$(readelf -d "$docparse" | sed -n 's/.*NEEDED.*\[\(.*\)\].*/\1/p' | grep -E '^lib(cairo|fontconfig|freetype|png|poppler|lept|gio|gobject)' | tr '\n' ' ')
  [ -z "$linked" ]; ok $? "linked only with what every run needs${linked:+, but also with $linked}"
fi

# ---- page ranges of one document side by side ----------------------------------------------------------
python3 - book.pdf <<'PY'
import sys
objects = [b'<</Type/Catalog/Pages 2 0 R>>', None, b'<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>']
kids = []
for page in range(1, 71):
    words = [b'harbour', b'ledger', b'winter', b'compass', b'granite', b'orchard', b'signal']
    lines = [b'Sheet %d tells of matter number %d.' % (page, page * page)]
    lines += [b'The %s of the %s is kept.' % (words[(page * 3 + k) % 7], words[(page + k * k) % 7]) for k in range(page % 5 + 4)]
    text = b'BT /F 12 Tf 16 TL 72 %d Td ' % (600 - page) + b''.join(b'(%s) Tj T* ' % l for l in lines) + b'ET'
    objects.append(b'<</Length %d>>stream\n' % len(text) + text + b'\nendstream')
    objects.append(b'<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</Font<</F 3 0 R>>>>/Contents %d 0 R>>' % len(objects))
    kids.append(b'%d 0 R' % len(objects))
objects[1] = b'<</Type/Pages/Count 70/Kids[' + b' '.join(kids) + b']>>'
out, offsets = b'%PDF-1.4\n', []
for number, body in enumerate(objects, 1):
    offsets.append(len(out))
    out += b'%d 0 obj\n' % number + body + b'\nendobj\n'
xref = b''.join(b'%010d 00000 n \n' % o for o in offsets)
n = len(objects) + 1
out += b'xref\n0 %d\n0000000000 65535 f \n' % n + xref + b'trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n' % (n, len(out))
open(sys.argv[1], 'wb').write(out)
PY
run 0 book.pdf -o one-job.md -t md,json --jobs 1 && run 0 book.pdf -o six-jobs.md -t md,json --jobs 6 && cmp -s one-job.md six-jobs.md &&
  cmp -s one-job.json six-jobs.json && says one-job.md 'Sheet 70 tells of matter number 4900'
ok $? "six readers give what one gives"
run 0 book.pdf -o part.txt --pages 60-,3,last --page-break '[%n]' --keep header,footer,page-number &&
  [ "$(grep -c 'Sheet' part.txt)" -eq 12 ] && [ "$(grep -o 'Sheet [0-9]*' part.txt | head -2 | tail -1)" = 'Sheet 60' ]
ok $? "--pages picks pages and keeps their order"

# ---- where it goes --------------------------------------------------------------------------------
run 0 letter.pdf && [ -s letter.md ]; ok $? "without -o: beside the input"
run 0 convert letter.pdf -o converted.md && cmp -s converted.md letter.md; ok $? "convert is the same as no command"
"$docparse" - <letter.pdf >piped 2>err && cmp -s piped letter.md; ok $? "stdin goes to stdout and gives the same"
cat letter.pdf | "$docparse" - -o piped.md 2>err && cmp -s piped.md letter.md; ok $? "a pipe can be read too"
mkfifo fifo.pdf; cat book.pdf >fifo.pdf & run 0 fifo.pdf -o fifo.md --jobs 4 && cmp -s fifo.md one-job.md; ok $? "a named pipe, though several processes read"
wait
run 65 - ; ok $? "a device on stdin: 65"
run 0 letter.pdf -o - && cmp -s out letter.md && [ ! -s err ]; ok $? "-o - goes to stdout"
"$docparse" "$samples/manual.pdf" -o - 2>err | head -c 1 >first; [ -s first ] && [ ! -s err ]; ok $? "a reader that stops early is no error"
mkdir -p tree/sub; cp letter.pdf tree/a.pdf; cp lists.pdf tree/sub/a.PDF; cp letter.pdf tree/sub/a.pdf; cp text.pdf tree/.hidden.pdf
run 0 tree -o plan/ && [ -s plan/a.md ] && [ -s plan/sub/a.md ] && [ -s plan/sub/a_2.md ] && [ "$(find plan -type f | wc -l)" -eq 3 ]
ok $? "a directory keeps its tree, equal names get a number, hidden files stay out"
run 0 tree && [ -s tree/sub/a_2.md ] && cmp -s tree/a.md plan/a.md; ok $? "a directory without -o: beside the inputs"
cp letter.pdf x.md
run 64 x.md -o x.md && cmp -s x.md letter.pdf; ok $? "an input is never overwritten"
ln -s letter.pdf alias.md; run 64 letter.pdf -o alias.md && cmp -s letter.pdf x.md; ok $? "not through a link either"
run 0 letter.pdf -o d.html && says d.html '<html' ; ok $? "the ending of -o chooses the format"
run 0 letter.pdf -o D.JSON && [ "$(head -c 1 D.JSON)" = '{' ]; ok $? "in any case"
run 0 letter.pdf -o multi.md -t md,json,txt,content-list,html && [ -s multi.md ] && [ -s multi.json ] && [ -s multi.txt ] &&
  [ -s multi_content_list.json ] && [ -s multi.html ]; ok $? "several formats at once"
run 0 letter.pdf -o over/ --overlay && [ "$(head -c 5 over/letter_layout.pdf)" = %PDF- ]; ok $? "--overlay writes a PDF"
cp letter.pdf over/; run 0 over -o again/ && [ "$(ls again)" = letter.md ]; ok $? "an overlay beside its document is no input"
run 0 letter.pdf -o mineru --layout mineru && [ -s mineru/letter/auto/letter.md ] && [ -s mineru/letter/auto/letter_content_list.json ]
ok $? "--layout mineru"
run_blind 1 mixed-scan.pdf -o pictures/ && [ "$(head -c 4 pictures/mixed-scan_images/page-002-picture-01.png | tail -c 3)" = PNG ] &&
  says pictures/mixed-scan.md 'mixed-scan_images/page-002-picture-01.png'; ok $? "a page kept as a picture: written and linked"
run_blind 1 mixed-scan.pdf -o off.md --images off && [ ! -e off_images ]; ok $? "--images off writes none"
run_blind 1 mixed-scan.pdf -o data.md --images embedded && [ ! -e data_images ] && says data.md 'data:image/png;base64,'; ok $? "--images embedded"
run_blind 1 letter.pdf -o ocr.md --method ocr && says err 'needs a model'; ok $? "--method ocr without a model: 1"
run 0 letter.pdf -o ocr.md --method ocr && says ocr.md 'Renewal of the reading room lease'; ok $? "--method ocr reads a page that has text"
run 0 mixed-scan.pdf -o low.md --ocr-dpi 120 && says low.md 'Westport Museum'; ok $? "--ocr-dpi"
run 0 mixed-scan.pdf -o scan.json && python3 -c "
import json; d = json.load(open('scan.json', encoding='utf-8'))
read = [b for b in d['blocks'] if b['page'] == 2]
assert read and all(b['source'] == 'vlm' and 0.5 < b['confidence'] <= 1 for b in read), read
assert all(b['source'] != 'vlm' for b in d['blocks'] if b['page'] == 1)"
ok $? "JSON says what was read by the model, and how surely"
run 0 mixed-scan.pdf -o one.md --pages 1; ok $? "--pages leaves the scan out"
long=$(printf '%0210d' 7); cp letter.pdf "$long.pdf"; run 0 "$long.pdf" -o long/ && [ "$(ls long | head -1 | tr -d '\n' | wc -c)" -eq 203 ]
ok $? "a long name is cut"
run 0 letter.pdf -o /dev/null && [ -c /dev/null ]; ok $? "a device stays a device"
none_left .; ok $? "no temporary files are left"

# ---- --resume ------------------------------------------------------------------------------------------
mkdir r; cp letter.pdf lists.pdf r/; run 0 r -o resumed/
echo mine >resumed/letter.md; rm resumed/lists.md
run 0 r -o resumed/ --resume && [ "$(cat resumed/letter.md)" = mine ] && [ -s resumed/lists.md ]; ok $? "--resume passes over what is there"
touch -d '+1 minute' r/letter.pdf
run 0 r -o resumed/ --resume && cmp -s resumed/letter.md letter.md; ok $? "--resume converts what changed"

# ---- what is said -----------------------------------------------------------------------------------------
run_blind 1 mixed-scan.pdf letter.pdf -o said/ --log-format json --report report.json
python3 - err report.json <<'PY'
import json, sys
lines = [json.loads(l) for l in open(sys.argv[1], encoding='utf-8')]
assert any(l.get('file') == 'mixed-scan.pdf' and l.get('pages') == [2, 2] and l['level'] == 'warning' for l in lines), lines
report = json.load(open(sys.argv[2], encoding='utf-8'))
assert report['exit_code'] == 1 and report['n_documents'] == 2 and report['pages']['needs-model'] == 1, report
assert [d['input'] for d in report['documents']] == ['mixed-scan.pdf', 'letter.pdf']
assert report['documents'][0]['problems'][0]['first'] == 2 and report['documents'][0]['exit_code'] == 1
PY
ok $? "--log-format json and --report are JSON and agree"
run 64 --log-format json letter.pdf --nope && python3 -c "
import json; line, = open('err', encoding='utf-8'); e = json.loads(line); assert e['level'] == 'error' and '--nope' in e['message'], e"
ok $? "--log-format json: wrong usage is JSON as well"
run 66 --log-format=json letter.pdf --password-file missing && python3 -c "
import json; e, = map(json.loads, open('err', encoding='utf-8')); assert '--password-file' in e['message'] and 'missing' in e['message'], e"
ok $? "--log-format json: and so is a missing password file"
run 64 letter.pdf -t json -o taken.json --report ./taken.json && [ ! -e taken.json ] && run 64 letter.pdf -o - --report - && [ ! -s out ]
ok $? "--report does not share the file of a document"
run 64 letter.pdf -o apart.md --report letter.pdf && cmp -s letter.pdf "$samples/letter.pdf"; ok $? "--report does not overwrite an input"
bad=$(printf 'b\377d\n.pdf'); cp letter.pdf "$bad"
LC_ALL=C run 0 "$bad" -o names/ && [ "$(ls names | wc -l)" -ge 1 ]; ok $? "a name that is not UTF-8 works"
cp letter.pdf 'größe.pdf'; LC_ALL=C LANG=C run 0 größe.pdf -o - --page-break '— %n —' && cmp -s out letter.md; ok $? "UTF-8 under LANG=C"
printf 'x' >"$(printf 'n\033[31m.pdf')"; run 65 "$(printf 'n\033[31m.pdf')" && ! grep -q "$(printf '\033')" err; ok $? "no escape sequences from names"
run 0 --version && says out 'docparse '; ok $? "--version"
run 0 help && says out '--output' && [ ! -s err ]; ok $? "help"
run 0 doctor && says out poppler && says out 'Back ends' && says out Sandbox; ok $? "doctor"
run 64 doctor nonsense; ok $? "doctor takes no arguments"

# ---- inspect ------------------------------------------------------------------------------------------------
run 0 inspect letter.pdf && python3 -c "
import json; d = json.load(open('out')); p = d['pages'][0]
assert d['n_pages'] == 1 and d['need_model'] == 0 and p['trusted'] and p['action'] == 'text' and p['glyphs'] > 100 and p['columns'] == 1, d"
ok $? "inspect a good document: 0"
run 1 inspect mixed-scan.pdf && python3 -c "
import json; d = json.load(open('out')); p = d['pages']
assert d['need_model'] == 1 and p[0]['trusted'] and not p[1]['trusted'] and p[1]['action'] == 'model' and p[1]['image_cover'] > 0.5, d"
ok $? "inspect a scan: 1, a model will read it"
run 65 inspect text.pdf && [ ! -s out ]; ok $? "inspect no document: 65"
if [ -c /dev/full ]; then
  "$docparse" inspect letter.pdf >/dev/full 2>err; [ $? -eq 74 ] && says err 'standard output'; ok $? "inspect to a full device: 74"
fi
run 64 inspect; ok $? "inspect nothing: 64"

# ---- signals ----------------------------------------------------------------------------------------------------
mkdir crowd; i=0
while [ $i -lt 600 ]; do ln "$samples/manual.pdf" "crowd/$i.pdf" 2>/dev/null || cp "$samples/manual.pdf" "crowd/$i.pdf"; i=$((i + 1)); done
interrupted () { # SIGNAL CODE
  rm -rf stopped
  # a shell starts background commands with SIGINT ignored, hence the detour
  python3 - "$docparse" "$1" "$2" <<'PY'
import os, signal, subprocess, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
p = subprocess.Popen([sys.argv[1], 'crowd', '-o', 'stopped/', '--jobs', '2', '-q'], start_new_session=True)
while p.poll() is None and not (os.path.isdir('stopped') and any(f.endswith('.md') for f in os.listdir('stopped'))):
    time.sleep(0.002)
os.kill(p.pid, getattr(signal, sys.argv[2]))
code = p.wait(timeout=30)
done = [f for f in os.listdir('stopped') if f.endswith('.md')]
assert code == int(sys.argv[3]), code
assert 0 < len(done) < 600, len(done)
assert all(os.path.getsize(os.path.join('stopped', f)) > 0 for f in done)
PY
}
interrupted SIGINT 130 2>err && none_left stopped; ok $? "SIGINT: 130, whole files only, nothing temporary"
interrupted SIGTERM 143 2>err && none_left stopped; ok $? "SIGTERM: 143"

mkfifo idle.pdf
python3 - "$docparse" <<'PY'
import os, signal, subprocess, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
reading, writing = os.pipe()  # nobody writes, and nobody closes
for arguments, stdin in ((['-'], reading), (['idle.pdf', '-o', 'idle.md'], subprocess.DEVNULL)):
    p = subprocess.Popen([sys.argv[1]] + arguments, stdin=stdin, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    # until it looks after SIGINT and SIGTERM itself (and SIGHUP, where that is not ignored)
    while not any('SigBlk:\t000000000000400%d\n' % hup in open('/proc/%d/status' % p.pid).read() for hup in (2, 3)):
        time.sleep(0.01)
    os.kill(p.pid, signal.SIGINT)
    assert p.wait(timeout=20) == 130, arguments
PY
ok $? "SIGINT while nothing comes out of a pipe: 130"

# ---- every option everywhere ---------------------------------------------------------------------------------------
"$docparse" --help >help
missing=0
for option in $(grep -oE '(^|[ ,])--[a-z][a-z-]*' help | tr -d ' ,' | sort -u); do
  name=${option#--}
  grep -qE -- "Fl .-$name( |\$)" "$root/pipeline/docparse.1" || { echo "# $option is not in the manual"; missing=1; }
  grep -qE -- "$option[]=,}[]" "$root/pipeline/completion/_docparse" || { echo "# $option is not in _docparse"; missing=1; }
  grep -qE -- "-l $name " "$root/pipeline/completion/docparse.fish" || { echo "# $option is not in docparse.fish"; missing=1; }
done
[ "$(grep -cE '^  (-., )?--' help)" -ge 20 ] || missing=1
ok $missing "every option is in the manual and in the completions of zsh and fish"
missing=0
for command in $(sed -n 's/^  docparse \([a-z]*\)  .*/\1/p' help); do
  commands="${commands:-} $command"
  grep -qE "^\.It Cm $command\$" "$root/pipeline/docparse.1" || { echo "# $command is not in the manual"; missing=1; }
  grep -qE "[' ]$command[' ]" "$root/pipeline/completion/docparse.bash" || { echo "# $command is not in docparse.bash"; missing=1; }
  grep -qF "'$command:" "$root/pipeline/completion/_docparse" || { echo "# $command is not in _docparse"; missing=1; }
  grep -qF -- "-a $command " "$root/pipeline/completion/docparse.fish" || { echo "# $command is not in docparse.fish"; missing=1; }
done
says help 'docparse convert' && [ "$(echo "$commands" | wc -w)" -ge 4 ] || missing=1
ok $missing "every command is in the manual and in three completions"
completed () { # WORD...: what bash offers for the last word
  bash -c '. "$1" && shift && COMP_WORDS=("$@") && COMP_CWORD=$(($# - 1)) && _docparse; printf "%s\n" "${COMPREPLY[@]}"' \
    bash "$root/pipeline/completion/docparse.bash" "$@" 2>/dev/null | sort
}
"$docparse" inspect --help | grep -oE -- '--[a-z][a-z-]*' | sort -u >wanted; completed docparse inspect -- >offered; cmp wanted offered
ok $? "bash offers the options of inspect, and no others"
grep -oE '(^|[ ,])--[a-z][a-z-]*' help | tr -d ' ,' | sort -u >wanted; completed docparse -- >offered; cmp wanted offered
ok $? "bash offers every option"
[ "$(completed docparse --to = md,j)" = 'md,json' ] && [ "$(completed docparse letter.pdf --tables p)" = pipe ]; ok $? "bash completes lists and values"
missing=0
for name in $(grep -rhoE 'getenv \("[A-Z_]+"' "$root/pipeline" "$root/vlm" "$root/ops" "$root/backends" "$root/layout" "$root/output" --include='*.c' | grep -oE '[A-Z_]+' | sort -u); do
  grep -qE "^\.It Ev $name\$" "$root/pipeline/docparse.1" || { echo "# the environment's $name"; missing=1; }
done
ok $missing "every variable of the environment is in the manual"
missing=0
for code in 0 1 64 65 66 69 74 77 130; do grep -qE "^\.It $code\$" "$root/pipeline/docparse.1" || { echo "# exit code $code"; missing=1; }; done
ok $missing "every exit code is in the manual"

# ---- a child starts no children, or a program started in docparse's place would start itself without end ----
code=0
DOCPARSE_PDF_CHILD=1 "$docparse" "$samples/letter.pdf" -o - >out 2>err </dev/null || code=$?
[ $code -ne 0 ] && [ ! -s out ] && says err 'starts none itself'; ok $? "a child starts no children"

echo "1..$n"
[ $failures -eq 0 ]

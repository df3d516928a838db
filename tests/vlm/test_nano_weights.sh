#!/bin/sh
# The built-in model's files agree with each other: shapes follow config.json, bf16, size, characters.  Prints TAP.
set -u
cd "$(dirname "$0")/../.." || exit 1
python3 - vlm/nano/weights <<'PY'
import json, os, struct, sys

folder, failed, count = sys.argv[1], 0, 0

def ok(good, what):
    global failed, count
    count += 1
    failed += not good
    print('%sok %d - %s' % ('' if good else 'not ', count, what))

with open(folder + '/config.json', encoding='utf8') as f:
    c = json.load(f)
with open(folder + '/tokenizer.json', encoding='utf8') as f:
    t = json.load(f)
with open(folder + '/model.safetensors', 'rb') as f:
    size = struct.unpack('<Q', f.read(8))[0]
    header = json.loads(f.read(size))
    f.seek(0, 2)
    body = f.tell() - 8 - size
meta = header.pop('__metadata__', {})
h, ff, v, d = c['hidden_size'], c['intermediate_size'], c['vocab_size'], c['head_dim']
want, channels = {}, [1] + c['stem_channels']
for n, (i, o) in enumerate(zip(channels, channels[1:])):
    want['stem.conv.%d.weight' % n], want['stem.conv.%d.bias' % n] = [o, 9 * i], [o]
want['stem.project.weight'], want['stem.project.bias'] = [h, 2 * channels[-1]], [h]
for room, layers, kv in (('encoder', c['encoder_layers'], c['encoder_key_value_heads']), ('decoder', c['decoder_layers'], c['decoder_key_value_heads'])):
    for n in range(layers):
        p = '%s.%d.' % (room, n)
        want.update({p + 'norm1.weight': [h], p + 'norm2.weight': [h], p + 'qkv.weight': [(c['num_attention_heads'] + 2 * kv) * d, h],
                     p + 'out.weight': [h, c['num_attention_heads'] * d], p + 'gate_up.weight': [2 * ff, h], p + 'down.weight': [h, ff]})
    want[room + '_norm.weight'] = [h]
want.update({'ctc_split.weight': [c['ctc_frames_per_token'] * h, h], 'ctc_split.bias': [c['ctc_frames_per_token'] * h], 'ctc_head.weight': [v, h], 'ctc_head.bias': [v],
             'visual.weight': [h, c['visual_merge'] * h], 'visual.bias': [h], 'embedding.weight': [v, h]})
ok({k: x['shape'] for k, x in header.items()} == want, 'tensors and shapes follow config.json')
ok(all(x['dtype'] == 'BF16' for x in header.values()), 'all tensors are bf16')
spans = sorted(x['data_offsets'] for x in header.values())
ok(spans[0][0] == 0 and spans[-1][1] == body and all(a[1] == b[0] for a, b in zip(spans, spans[1:])), 'the data has no gap and no end beyond the file')
ok(os.path.getsize(folder + '/model.safetensors') <= 16_000_000, 'at most 16 MB')
ok(meta.get('lines_seen') == str(c['lines_seen']), 'both files come from one run')
chars = t['characters']
ok(len(set(chars)) == len(chars) and all(len(x) == 1 for x in chars) and t['first_character_id'] + len(chars) <= v, 'characters are single, different and fit the vocabulary')
ok((t['blank_token_id'], t['bos_token_id'], t['eos_token_id']) == (c['blank_token_id'], c['bos_token_id'], c['eos_token_id']), 'signs have the same ids in both files')
need = ([chr(x) for x in range(32, 127)] + [chr(x) for x in range(0xA1, 0x180) if x != 0xAD] + [chr(x) for x in range(0x391, 0x3CF) if x != 0x3A2]
        + [chr(x) for x in range(0x410, 0x450)] + list('–—‘’“”„…•€£¥₽−×÷≤≥≠≈∞√∑∏∫'))
ok(not set(need) - set(chars), 'ASCII, Latin-1, Latin Extended-A, Greek, Cyrillic, punctuation, currency, signs')
print('1..%d' % count)
sys.exit(failed > 0)
PY

/* tests/pipeline/test_trust.c - which text layers are believed, on pages made for the purpose. */
#include <string.h>

#include "pipeline/trust.h"
#include "pipeline/trust_stats.h"

/* ---- pages to judge ----------------------------------------------------------------------------- */

typedef struct {
  DpPage page; /* first, so that it can be judged */
  GArray *glyphs, *fonts, *images, *paths;
  GString *strings;
} Sheet;

static Sheet *
sheet_new (void)
{
  Sheet *s = g_new0 (Sheet, 1);

  s->page.number = 1;
  s->page.width = 600;
  s->page.height = 800;
  s->glyphs = g_array_new (FALSE, TRUE, sizeof (DpGlyph));
  s->fonts = g_array_new (FALSE, TRUE, sizeof (DpFont));
  s->images = g_array_new (FALSE, TRUE, sizeof (DpImage));
  s->paths = g_array_new (FALSE, TRUE, sizeof (DpPath));
  s->strings = g_string_new (NULL);
  g_string_append_c (s->strings, '\0');
  return s;
}

static guint16
add_font (Sheet *s, const char *name)
{
  DpFont font = { .name = (guint32) s->strings->len };

  g_string_append_len (s->strings, name, (gssize) strlen (name) + 1);
  g_array_append_val (s->fonts, font);
  return (guint16) (s->fonts->len - 1);
}

/* Sets text in lines of 80 characters from y downwards. */
static void
add_text (Sheet *s, const char *text, guint16 font, guint flags, float y)
{
  guint column = 0;

  for (const char *p = text; *p; p = g_utf8_next_char (p)) {
    gunichar c = g_utf8_get_char (p);
    float x = 60 + 6.0f * (float) column;
    DpGlyph g = { .code = c, .box = { x, y, x + 6, y + 10 }, .size = 10, .font = font, .flags = (guint16) flags, .paint = 1 };

    if (c == ' ' && s->glyphs->len)
      g_array_index (s->glyphs, DpGlyph, s->glyphs->len - 1).flags |= DP_GLYPH_SPACE;
    else if (c != ' ')
      g_array_append_val (s->glyphs, g);
    if (++column == 80) {
      column = 0;
      y += 12;
    }
  }
}

static void
add_image (Sheet *s, DpRect box)
{
  DpImage image = { .box = box, .width = 100, .height = 100, .paint = 1 };

  g_array_append_val (s->images, image);
}

static void
add_path (Sheet *s, DpPathKind kind, guint32 colour)
{
  DpPath path = { .box = { 10, 10, 90, 90 }, .kind = kind, .colour = colour, .paint = 1, .alpha = 1 };

  g_array_append_val (s->paths, path);
}

/* Judges and frees the sheet; n_unmapped more glyphs are painted than the text layer has. */
static DpTrust
judge (Sheet *s, guint n_unmapped)
{
  DpTrust trust;
  DpPage *p = &s->page;

  for (guint i = 0; i < s->glyphs->len; i++)
    p->n_painted += !(g_array_index (s->glyphs, DpGlyph, i).flags & DP_GLYPH_UNPAINTED);
  p->n_painted += n_unmapped;
  p->n_painted_unmapped = n_unmapped;
  p->glyphs = (const DpGlyph *) s->glyphs->data, p->n_glyphs = s->glyphs->len;
  p->fonts = (const DpFont *) s->fonts->data, p->n_fonts = s->fonts->len;
  p->images = (const DpImage *) s->images->data, p->n_images = s->images->len;
  p->paths = (const DpPath *) s->paths->data, p->n_paths = s->paths->len;
  p->strings = s->strings->str, p->n_strings = s->strings->len;
  dp_trust_judge (p, &trust);
  g_array_unref (s->glyphs);
  g_array_unref (s->fonts);
  g_array_unref (s->images);
  g_array_unref (s->paths);
  g_string_free (s->strings, TRUE);
  g_free (s);
  return trust;
}

static void
expect (Sheet *s, guint n_unmapped, gboolean trusted, DpTrustReason reason)
{
  g_auto (DpTrust) trust = judge (s, n_unmapped);

  g_assert_cmpstr (dp_trust_reason_name (trust.reason), ==, dp_trust_reason_name (reason));
  g_assert_cmpint (trust.trusted, ==, trusted);
  g_assert_cmpuint (strlen (trust.sentence), >, 5);
}

/* A page of text in one font. */
static Sheet *
sheet_of (const char *text, const char *font, guint flags)
{
  Sheet *s = sheet_new ();

  add_text (s, text, add_font (s, font), flags, 100);
  return s;
}

static const char prose[] = "The committee met on Tuesday to consider the proposals that had been received since the last meeting. Several "
                            "members observed that the "
                            "costs had risen by more than a third, and asked whether the work could be finished before the winter. It was "
                            "agreed that the secretary "
                            "would write to the builders, and that a further report should be made in March. There being no other "
                            "business, the chairman thanked those "
                            "present and closed the meeting shortly after nine o'clock.";

/* ---- trusted ----------------------------------------------------------------------------------------- */

static void
test_prose (void)
{
  g_autofree char *capitals = g_ascii_strup (prose, -1);

  expect (sheet_of (prose, "Times", 0), 0, TRUE, DP_TRUST_TEXT);
  expect (sheet_of (capitals, "Times", 0), 0, TRUE, DP_TRUST_TEXT);
  expect (sheet_of ("Chapter 1", "Times", 0), 0, TRUE, DP_TRUST_TEXT);
}

/* Text that is no English prose, and must be believed all the same. */
static void
test_other_text (void)
{
  static const char *const texts[] = {
    /* German, Polish, Vietnamese, Turkish, Finnish, Russian, Greek */
    "Der Ausschuss trat am Dienstag zusammen, um die eingegangenen Vorschläge zu prüfen. Mehrere Mitglieder stellten fest, dass die Kosten "
    "um mehr "
    "als ein Drittel gestiegen seien, und fragten, ob die Arbeiten vor dem Winter abgeschlossen werden könnten.",
    "Komisja zebrała się we wtorek, aby rozpatrzyć wnioski, które wpłynęły od ostatniego posiedzenia. Kilku członków zauważyło, że koszty "
    "wzrosły o "
    "ponad jedną trzecią, i zapytało, czy prace można zakończyć przed zimą. Wszczęto postępowanie sprawdzające.",
    "Ủy ban đã họp vào thứ ba để xem xét các đề xuất nhận được kể từ cuộc họp trước. Một số thành viên nhận xét rằng chi phí đã tăng hơn "
    "một phần ba "
    "và hỏi liệu công việc có thể hoàn thành trước mùa đông hay không.",
    "Komite, son toplantıdan bu yana alınan önerileri görüşmek üzere salı günü toplandı. Bazı üyeler maliyetlerin üçte birden fazla "
    "arttığını belirtti.",
    "Комитет собрался во вторник, чтобы рассмотреть предложения, поступившие после последнего заседания. Несколько членов отметили, что "
    "расходы "
    "выросли более чем на треть, и спросили, можно ли закончить работы до зимы.",
    "Η επιτροπή συνεδρίασε την Τρίτη για να εξετάσει τις προτάσεις που είχαν υποβληθεί μετά την τελευταία συνεδρίαση και συμφώνησε να "
    "συνεχίσει.",
    /* Chinese, Japanese, Arabic, Hindi */
    "委员会于星期二开会审议自上次会议以来收到的各项提案。若干成员指出费用已上涨超过三分之一，并询问工程能否在冬季之前完成。会议商定由秘书致"
    "函承建商，并于三月再次提出报告。主席感谢与会者，会议于九时后结束。"
    "委员会于星期二开会审议自上次会议以来收到的各项提案。若干成员指出费用已上涨超过三分之一，并询问工程能否在冬季之前完成。",
    "委員会は火曜日に会合を開き、前回の会議以降に寄せられた提案について審議した。数名の委員は費用が三分の一以上増えたことを指摘し、冬までに"
    "工事を終えられるかどうかを尋ねた。書記が業者に手紙を書くことで合意した。"
    "委員会は火曜日に会合を開き、前回の会議以降に寄せられた提案について審議した。",
    "اجتمعت اللجنة يوم الثلاثاء للنظر في المقترحات الواردة منذ الاجتماع الأخير. ولاحظ عدد من الأعضاء أن التكاليف ارتفعت بأكثر من الثلث، "
    "وتساءلوا عما إذا "
    "كان يمكن إنجاز العمل قبل الشتاء.",
    "समिति ने पिछली बैठक के बाद प्राप्त प्रस्तावों पर विचार करने के लिए मंगलवार को बैठक की। कई सदस्यों ने कहा कि लागत एक तिहाई से अधिक बढ़ गई है।",
    /* a table of numbers, a list of codes, a contents page, a sequence, a formula, a program, a hex dump */
    "1,204.50 3,881.00 (12.4) 77 % 0.031 1998 1999 2000 2001 2002 14,220 18,331 21,007 (3.3) 5.1 8.8 12.9 1,204.50 3,881.00 (12.4) 77 % "
    "0.031 1998",
    "XKCD-22 HTTP TCP RFC 2616 BGP MPLS VPLS XR-7731 PCMCIA SCSI DDR SDRAM GPGPU CRC32 SHA256 TLS SSL SSH FTP SMTP NNTP LDAP DHCP DNS NTP "
    "SNMP VLAN "
    "QWRT-11 PLKM-12 ZXCV-13 BNMG-14 DFGH-15 JKLP-16 WRTP-17 SDFG-18 HJKL-19 ZXCB-20 VBNM-21 QWRT-22 XKCD-22 HTTP TCP RFC 2616 BGP MPLS "
    "VPLS",
    "Introduction . . . . . . . . . . . . . . . . . . . . . . 1 Method ............................................................ 12 "
    "Results "
    "_________________________________ 33 Discussion . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . "
    ". . . 48",
    "ATGGCGTACGTTAGCCTAGGATCGATCGGGTACCATGCATTTACGGATCCGATTACAGGCATTTACCGGGATTTAGCCATGCAAATTTGGGCCCATATCGCGTATAGCGCTAGCTAGGATCCAATTGGCCATG"
    "C",
    "f(x) = (a+b)/(c-d) + g(h(x)) - [x*y]/{z+1}; p(x,y) = (x-1)(y+2)/(x*y) <= q(x)/r(y); (u,v) = (x+y, x-y), |w| = 1, s(t) = "
    "(t-1)^2/(t+1)^3.",
  };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    expect (sheet_of (texts[i], "Times", 0), 0, TRUE, DP_TRUST_TEXT);
  expect (sheet_of ("if((x[i]&&!(y[j]))||(*p++!='\\0')){a[--n]=(b<<2)|(c>>(d&7));}/*%%*/#define "
                    "F(x)((x)<0?-(x):(x))\n@{$_}=~s/[^\\w]+//g;$#{$x}->[0]{'a'}",
                    "Courier", DP_GLYPH_MONO),
          0, TRUE, DP_TRUST_TEXT);
}

static void
test_blank (void)
{
  Sheet *ruled = sheet_new (), *white = sheet_new ();

  expect (sheet_new (), 0, TRUE, DP_TRUST_BLANK);
  add_path (ruled, DP_PATH_HLINE, 0);
  add_path (ruled, DP_PATH_FRAME, 0);
  expect (ruled, 0, TRUE, DP_TRUST_BLANK);
  add_path (white, DP_PATH_CURVE, 0xffffff);
  expect (white, 0, TRUE, DP_TRUST_BLANK);
  expect (sheet_of ("nothing to see", "Times", DP_GLYPH_UNPAINTED), 0, FALSE, DP_TRUST_NO_TEXT);
}

static void
test_ocr_layer (void)
{
  Sheet *s = sheet_of (prose, "GlyphLessFont", DP_GLYPH_UNPAINTED), *under = sheet_of (prose, "Times", DP_GLYPH_COVERED);
  Sheet *bad = sheet_of (prose, "GlyphLessFont", DP_GLYPH_UNPAINTED);

  add_image (s, (DpRect){ 0, 0, 600, 800 });
  expect (s, 0, TRUE, DP_TRUST_OCR_LAYER);
  add_image (under, (DpRect){ 10, 10, 590, 790 });
  expect (under, 0, TRUE, DP_TRUST_OCR_LAYER);
  for (guint i = 0; i < bad->glyphs->len; i += 4)
    g_array_index (bad->glyphs, DpGlyph, i).code = 0xfffd;
  add_image (bad, (DpRect){ 0, 0, 600, 800 });
  expect (bad, 0, FALSE, DP_TRUST_BAD_CHARS);
}

/* ---- not trusted -------------------------------------------------------------------------------------- */

static void
test_no_text (void)
{
  Sheet *scan = sheet_new (), *outlined = sheet_new (), *injected = sheet_of (prose, "Times", DP_GLYPH_UNPAINTED);

  add_image (scan, (DpRect){ 0, 0, 600, 800 });
  expect (scan, 0, FALSE, DP_TRUST_NO_TEXT);
  add_path (outlined, DP_PATH_CURVE, 0);
  expect (outlined, 0, FALSE, DP_TRUST_NO_TEXT);
  expect (sheet_new (), 200, FALSE, DP_TRUST_NO_TEXT); /* glyphs, but no characters */
  add_path (injected, DP_PATH_CURVE, 0);
  expect (injected, 0, FALSE, DP_TRUST_NO_TEXT);
}

static void
test_stamp (void)
{
  Sheet *s = sheet_new (), *slide = sheet_new ();

  add_image (s, (DpRect){ 0, 0, 600, 800 });
  add_text (s, "Case 4:21-cv-00123 Document 17 Filed 03/04/21 Page 5 of 9", add_font (s, "Arial"), 0, 12);
  expect (s, 0, FALSE, DP_TRUST_TOO_LITTLE);
  add_image (slide, (DpRect){ 0, 0, 600, 800 }); /* the same amount in the middle is a title on a background */
  add_text (slide, "Annual report of the harbour authority, second part", add_font (slide, "Arial"), 0, 380);
  expect (slide, 0, TRUE, DP_TRUST_TEXT);
}

/* Type as outlines: a few characters and hundreds of shapes; a drawing with as many shapes and real labels is trusted. */
static void
test_outlines (void)
{
  Sheet *poster = sheet_new (), *drawing = sheet_new ();

  for (guint i = 0; i < 400; i++) {
    const DpPath shape
        = { .box = { 10 + i % 40 * 9, 20 + i / 40 * 14, 16 + i % 40 * 9, 29 + i / 40 * 14 }, .kind = DP_PATH_CURVE, .alpha = 1 };
    g_array_append_val (poster->paths, shape);
    g_array_append_val (drawing->paths, shape);
  }
  add_text (poster, "No. 12", add_font (poster, "Arial"), 0, 700);
  add_text (drawing, "The pump seen from the side, with valve and drain cock", add_font (drawing, "Arial"), 0, 700);
  expect (poster, 0, FALSE, DP_TRUST_TOO_LITTLE);
  expect (drawing, 0, TRUE, DP_TRUST_TEXT);
}

static void
test_bad_characters (void)
{
  Sheet *s = sheet_of (prose, "Times", 0), *bullets = sheet_of (prose, "Times", 0), *few = sheet_of (prose, "Times", 0);
  guint16 symbol = add_font (bullets, "Wingdings-Regular");

  for (guint i = 0; i < s->glyphs->len; i += 10)
    g_array_index (s->glyphs, DpGlyph, i).code = i % 20 ? 0xfffd : 0xe123;
  expect (s, 0, FALSE, DP_TRUST_BAD_CHARS);
  for (guint i = 0; i < 30; i++) /* a sign font's private codes are bullets */
    add_text (bullets, "\xef\x82\xb7", symbol, 0, 300);
  expect (bullets, 0, TRUE, DP_TRUST_TEXT);
  for (guint i = 0; i < 5; i++)
    g_array_index (few->glyphs, DpGlyph, i).code = 0xfffd;
  expect (few, 0, TRUE, DP_TRUST_TEXT);
}

static void
test_unmapped (void)
{
  expect (sheet_of (prose, "Times", 0), 60, FALSE, DP_TRUST_UNMAPPED);
  expect (sheet_of (prose, "Times", 0), 10, TRUE, DP_TRUST_TEXT);
}

/* Of a page in Hebrew with holes the built-in reader would make Latin letters; a page that is wrong altogether is no better than that. */
static void
test_foreign (void)
{
  g_autoptr (GString) hebrew = g_string_new (NULL), holes = g_string_new (NULL), wrong = g_string_new (NULL);

  for (guint i = 0; i < 400; i++) {
    g_string_append_unichar (hebrew, 0x5d0 + i % 22);
    g_string_append_unichar (holes, i % 8 ? 0x5d0 + i % 22 : 0xfffd);
    g_string_append_unichar (wrong, i % 2 ? 0x5d0 + i % 22 : 0xe000);
  }
  const struct {
    const char *text;
    guint n_unmapped;
    DpTrustReason reason;
    gboolean foreign;
  } cases[] = {
    { hebrew->str, 60, DP_TRUST_UNMAPPED, TRUE },  { holes->str, 50, DP_TRUST_BAD_CHARS, TRUE },
    { wrong->str, 50, DP_TRUST_BAD_CHARS, FALSE }, { prose, 60, DP_TRUST_UNMAPPED, FALSE },
    { hebrew->str, 0, DP_TRUST_TEXT, FALSE },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_auto (DpTrust) trust = judge (sheet_of (cases[i].text, "Times", 0), cases[i].n_unmapped);
    g_assert_cmpstr (dp_trust_reason_name (trust.reason), ==, dp_trust_reason_name (cases[i].reason));
    g_assert_cmpint (trust.foreign, ==, cases[i].foreign);
  }
}

/* One font of two is garbage: its verdict, and the page's if it sets enough of it. */
static void
test_font (void)
{
  Sheet *s = sheet_new ();
  guint16 good = add_font (s, "Times"), bad = add_font (s, "F7");

  for (guint i = 0; i < 10; i++)
    add_text (s, prose, good, 0, 100);
  for (guint i = 0; i < 40; i++)
    add_text (s, "\xee\x80\x81\xee\x80\x82", bad, 0, 700);
  {
    g_auto (DpTrust) trust = judge (s, 0);

    g_assert_true (trust.trusted); /* 80 of 3,500 characters */
    g_assert_cmpuint (trust.n_fonts, ==, 2);
    g_assert_true (trust.fonts[good].trusted);
    g_assert_false (trust.fonts[bad].trusted);
    g_assert_cmpuint (trust.fonts[bad].n_bad, ==, 80);
    g_assert_cmpint (trust.fonts[bad].reason, ==, DP_TRUST_BAD_CHARS);
  }
}

static char *
shifted (const char *text, int by)
{
  GString *out = g_string_new (NULL);

  for (const char *p = text; *p; p++) {
    int c = *p == ' ' ? ' ' : *p + by;

    g_string_append_unichar (out, c > 32 && c < 127 ? (gunichar) c : (gunichar) *p);
  }
  return g_string_free (out, FALSE);
}

/* Codes off by a constant, as when glyph numbers are taken for characters (29 is the
 * distance in TrueType's standard order). */
static void
test_shifted (void)
{
  static const int shifts[] = { -29, -31, -3, 3, 1 };

  for (guint i = 0; i < G_N_ELEMENTS (shifts); i++) {
    g_autofree char *text = shifted (prose, shifts[i]);

    expect (sheet_of (text, "F1", 0), 0, FALSE, DP_TRUST_SHIFTED);
  }
}

/* Each letter replaced by another: no shift explains it, but words lose their vowels. */
static void
test_substituted (void)
{
  static const char alphabet[] = "bfnkvhcjgqxdmwltpzrsyoieua"; /* a -> b, e -> v, i -> g, o -> l, u -> y */
  GString *text = g_string_new (NULL);

  for (guint round = 0; round < 2; round++)
    for (const char *p = prose; *p; p++)
      g_string_append_c (text, g_ascii_islower (*p) ? alphabet[*p - 'a'] == 'y' ? 'k' : alphabet[*p - 'a'] : *p);
  expect (sheet_of (text->str, "F1", 0), 0, FALSE, DP_TRUST_SHIFTED);
  g_string_free (text, TRUE);
}

static void
test_soup (void)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < 60; i++)
    g_string_append (text, "!\"#$%&'( a)*+,- b./:; ");
  expect (sheet_of (text->str, "F1", 0), 0, FALSE, DP_TRUST_BAD_FONT);
  g_string_free (text, TRUE);
}

static void
test_mixed (void)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < 60; i++) /* Han with Thai, Hebrew, Tamil, Georgian */
    g_string_append (text, "\xe4\xb8\xad\xe6\x96\x87\xe5\xad\x97 \xe0\xb8\x81\xd7\x90\xe0\xae\x85\xe1\x83\x90 ");
  expect (sheet_of (text->str, "F1", 0), 0, FALSE, DP_TRUST_BAD_FONT);
  g_string_truncate (text, 0);
  for (guint i = 0; i < 40; i++) /* U+7291, U+72A0: rare characters that only wrong decoding heaps up */
    g_string_append (text, "\xe7\x8a\x91\xe7\x8a\xa0\xe6\x96\x87\xe5\xad\x97 ");
  expect (sheet_of (text->str, "F1", 0), 0, FALSE, DP_TRUST_BAD_FONT);
  g_string_free (text, TRUE);
}

/* ---- measures ------------------------------------------------------------------------------------------ */

static void
test_cover (void)
{
  Sheet *s = sheet_new ();

  for (int y = 0; y < 40; y++) /* the left half, in tiles that overlap */
    for (int x = 0; x < 30; x++)
      add_image (s, (DpRect){ 10.0f * (float) x, 20.0f * (float) y, MIN (300, 10.0f * (float) x + 12), 20.0f * (float) y + 22 });
  add_image (s, (DpRect){ 900, 900, 990, 990 }); /* off the page */
  {
    g_auto (DpTrust) trust = judge (s, 0);

    g_assert_cmpfloat_with_epsilon (trust.image_cover, 0.5, 0.01);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/trust/prose", test_prose);
  g_test_add_func ("/trust/other-text", test_other_text);
  g_test_add_func ("/trust/blank", test_blank);
  g_test_add_func ("/trust/ocr-layer", test_ocr_layer);
  g_test_add_func ("/trust/no-text", test_no_text);
  g_test_add_func ("/trust/stamp", test_stamp);
  g_test_add_func ("/trust/outlines", test_outlines);
  g_test_add_func ("/trust/bad-characters", test_bad_characters);
  g_test_add_func ("/trust/unmapped", test_unmapped);
  g_test_add_func ("/trust/foreign", test_foreign);
  g_test_add_func ("/trust/font", test_font);
  g_test_add_func ("/trust/shifted", test_shifted);
  g_test_add_func ("/trust/substituted", test_substituted);
  g_test_add_func ("/trust/soup", test_soup);
  g_test_add_func ("/trust/mixed", test_mixed);
  g_test_add_func ("/trust/cover", test_cover);
  return g_test_run ();
}

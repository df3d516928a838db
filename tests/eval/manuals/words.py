"""Sentences, names and titles in several languages, from phrases that fit together whatever is drawn.

A sentence is subject, verb, object and sometimes a tail: grammatical, so that hyphenation, capitals and line ends are those
of prose, and never twice the same, so that a judge can tell paragraphs apart.
"""

EN = {
    'subject': 'the control unit|every operator|the second pump|an experienced technician|the committee|our municipality|the annual survey|a careful reader|'
               'the northern district|each participant|the supervisory board|this procedure|the older generation|the measuring equipment|'
               'a well-known manufacturer|the independent laboratory|the responsible department|the temporary solution|the river authority|'
               'the translation|a single connection|the administrator|the neighbouring village|the original manuscript'.split('|'),
    'verb': 'checks|replaces|describes|determines|interrupts|accompanies|improves|considers|underestimates|transforms|supports|delivers|observes|'
            'documents|requires|explains|postpones|simplifies|represents|protects|approves|questions|remembers|distinguishes'.split('|'),
    'object': 'the pressure in the main circuit|the recommendations of the last meeting|a considerable number of applications|the temperature of the water|'
              'the relationship between both institutions|all settings of the previous version|the extraordinary variety of materials|'
              'the development of smaller communities|the installation of additional equipment|the results of the examination|an unexpected difference|'
              'the interpretation of earlier measurements|the distribution of electrical energy|the responsibilities of the organisation|'
              'a complicated arrangement of valves|the long-term consequences|the cost of transportation|what visitors appreciate most'.split('|'),
    'tail': 'before the end of the year|without further notice|as soon as the display shows a green light|in accordance with the regulations|'
            'although nobody had expected it|whenever the measurement is repeated|even under unfavourable circumstances|for the first time since 1987|'
            'at a rate of 4.5 per cent|because the old method was too slow|between April and September|with the exception of two cases|'
            'after a comprehensive investigation|on behalf of the ministry'.split('|'),
    'title': 'Installation|Safety notes|Before you start|Daily maintenance|Results of the survey|Methods and materials|Distribution of costs|Discussion|'
             'The road to the harbour|Working with older devices|Network settings|Waste and recycling|Summary|Further reading|A short history|'
             'Connecting the sensors|Frequently asked questions|Terms of delivery|Water quality|Opening hours|Outlook|Cleaning the filters'.split('|'),
    'word': 'pressure|valve|filter|district|budget|sensor|energy|harbour|survey|water|traffic|housing|schools|library|region|network|storage|transport'.split('|'),
    'join': ' ', 'stop': '.', 'comma': ', ',
    'letter': ('Dear Ms Harrison,', 'Yours sincerely,', 'Enclosures', 'Our reference'), 'note': 'Note', 'table': 'Table', 'contents': 'Contents',
}
DE = {
    'subject': 'die Steuereinheit|jeder Mitarbeiter|die zweite Pumpe|der Ausschuss|unsere Gemeinde|die jährliche Untersuchung|der aufmerksame Leser|'
               'die Bezirksverwaltung|die Aufsichtsbehörde|dieses Verfahren|das Messgerät|ein bekannter Hersteller|das unabhängige Labor|'
               'die vorläufige Lösung|die Übersetzung|das benachbarte Dorf|die ursprüngliche Handschrift'.split('|'),
    'verb': 'überprüft|ersetzt|beschreibt|bestimmt|unterbricht|begleitet|verbessert|unterschätzt|verändert|unterstützt|beobachtet|erfordert|erklärt|'
            'verschiebt|vereinfacht|genehmigt|unterscheidet'.split('|'),
    'object': 'den Druck im Hauptkreislauf|die Empfehlungen der letzten Sitzung|eine beträchtliche Anzahl von Anträgen|die Temperatur des Wassers|'
              'das Verhältnis zwischen beiden Einrichtungen|sämtliche Einstellungen der vorherigen Version|die außergewöhnliche Vielfalt der Werkstoffe|'
              'die Entwicklung kleinerer Gemeinschaften|die Ergebnisse der Abschlussprüfung|einen unerwarteten Unterschied|'
              'die Verteilung elektrischer Energie|die Zuständigkeiten der Gesellschaft|die langfristigen Folgen'.split('|'),
    'tail': 'vor dem Ende des Jahres|ohne weitere Ankündigung|sobald die Anzeige grün leuchtet|gemäß den geltenden Vorschriften|obwohl es niemand erwartet hatte|'
            'auch unter ungünstigen Umständen|zum ersten Mal seit 1987|mit einem Anteil von 4,5 Prozent|zwischen April und September|'
            'nach einer umfassenden Untersuchung'.split('|'),
    'title': 'Einrichtung|Sicherheitshinweise|Bevor Sie beginnen|Tägliche Wartung|Ergebnisse der Umfrage|Verteilung der Kosten|Der Weg zum Hafen|'
             'Ältere Geräte|Netzwerkeinstellungen|Zusammenfassung|Kurze Geschichte|Anschluss der Fühler|Häufige Fragen|Lieferbedingungen|Ausblick'.split('|'),
    'word': 'Druck|Ventil|Filter|Bezirk|Haushalt|Energie|Hafen|Wasser|Verkehr|Wohnen|Schulen|Bücherei|Netz|Lager'.split('|'),
    'join': ' ', 'stop': '.', 'comma': ', ',
    'letter': ('Sehr geehrte Frau Hartmann,', 'Mit freundlichen Grüßen', 'Anlagen', 'Unser Zeichen'), 'note': 'Hinweis', 'table': 'Tabelle', 'contents': 'Inhalt',
}
FR = {
    'subject': 'l’unité de commande|chaque opérateur|la deuxième pompe|le comité|notre commune|l’enquête annuelle|le lecteur attentif|le conseil de surveillance|'
               'cette procédure|l’appareil de mesure|un fabricant connu|le laboratoire indépendant|la solution provisoire|la traduction|le village voisin'.split('|'),
    'verb': 'vérifie|remplace|décrit|détermine|interrompt|accompagne|améliore|transforme|soutient|observe|exige|explique|reporte|simplifie|représente|approuve'.split('|'),
    'object': 'la pression du circuit principal|les recommandations de la dernière réunion|un nombre considérable de demandes|la température de l’eau|'
              'la relation entre les deux établissements|tous les réglages de la version précédente|l’extraordinaire diversité des matériaux|'
              'le développement des petites communautés|les résultats de l’examen|une différence inattendue|la distribution de l’énergie électrique|'
              'les responsabilités de l’organisation|les conséquences à long terme'.split('|'),
    'tail': 'avant la fin de l’année|sans autre avis|dès que le voyant passe au vert|conformément au règlement|bien que personne ne s’y attendît|'
            'même dans des circonstances défavorables|pour la première fois depuis 1987|à un taux de 4,5 pour cent|entre avril et septembre|'
            'après une enquête approfondie'.split('|'),
    'title': 'Mise en service|Consignes de sécurité|Avant de commencer|Entretien quotidien|Résultats de l’enquête|Répartition des coûts|Le chemin du port|'
             'Appareils plus anciens|Paramètres du réseau|Résumé|Une brève histoire|Branchement des capteurs|Questions fréquentes|Perspectives'.split('|'),
    'word': 'pression|vanne|filtre|district|budget|énergie|port|enquête|eau|transport|logement|écoles|région|réseau'.split('|'),
    'join': ' ', 'stop': '.', 'comma': ', ',
    'letter': ('Chère Madame,', 'Veuillez agréer nos salutations distinguées,', 'Pièces jointes', 'Notre référence'), 'note': 'Remarque', 'table': 'Tableau', 'contents': 'Sommaire',
}
JA = {
    'subject': '制御装置は|担当者は|二台目のポンプは|委員会は|この町は|年次調査は|注意深い読者は|北部地区は|独立した研究所は|この手順は|測定器は|古い世代は|翻訳者は|隣の村は'.split('|'),
    'verb': '確認する|交換する|説明する|決定する|中断する|改善する|検討する|支援する|観察する|記録する|必要とする|延期する|承認する'.split('|'),
    'object': '主回路の圧力を|前回の会議の提案を|相当な数の申請を|水の温度を|二つの機関の関係を|以前の設定をすべて|材料の多様性を|小さな地域社会の発展を|'
              '追加機器の設置を|検査の結果を|予想外の違いを|電気エネルギーの分配を|長期的な影響を|輸送の費用を'.split('|'),
    'tail': '年末までに|予告なしに|表示が緑になり次第|規則に従って|一九八七年以来はじめて|不利な条件のもとでも|四月から九月にかけて|詳しい調査のあとで'.split('|'),
    'title': '設置|安全上の注意|はじめに|日常の手入れ|調査の結果|方法と材料|費用の内訳|港への道|古い機器の扱い|ネットワークの設定|まとめ|歴史|センサーの接続|よくある質問|今後の課題'.split('|'),
    'word': '圧力|弁|ろ過器|地区|予算|電力|港|調査|水道|交通|住宅|学校|図書館'.split('|'),
    'join': '', 'stop': '。', 'comma': '、',
    'letter': ('拝啓', '敬具', '同封物', '文書番号'), 'note': '注意', 'table': '表', 'contents': '目次',
}
HE = {
    'subject': 'יחידת הבקרה|המשאבה השנייה|הוועדה|העיריה שלנו|הקורא הזהיר|המחוז הצפוני|המעבדה העצמאית|התרגום|הכפר השכן'.split('|'),
    'verb': 'בודקת|מחליפה|מתארת|קובעת|משפרת|שוקלת|תומכת|מסבירה|דוחה|מאשרת'.split('|'),
    'object': 'את הלחץ במעגל הראשי|את המלצות הישיבה האחרונה|את טמפרטורת המים|את היחסים בין שני המוסדות|את תוצאות הבדיקה|את ההשלכות לטווח הארוך|את עלות ההובלה'.split('|'),
    'tail': 'לפני סוף השנה|ללא הודעה נוספת|בהתאם לתקנות|גם בתנאים קשים|בפעם הראשונה מאז 1987|לאחר חקירה מקיפה'.split('|'),
    'title': 'התקנה|הערות בטיחות|לפני שמתחילים|תחזוקה יומית|תוצאות הסקר|הדרך לנמל|סיכום|היסטוריה קצרה|שאלות נפוצות'.split('|'),
    'word': 'לחץ|מסנן|מחוז|תקציב|אנרגיה|נמל|סקר|מים|תחבורה|דיור'.split('|'),
    'join': ' ', 'stop': '.', 'comma': ', ',
    'letter': ('שלום רב,', 'בברכה,', 'נספחים', 'מספרנו'), 'note': 'הערה', 'table': 'טבלה', 'contents': 'תוכן',
}
LANGUAGES = {'en': EN, 'de': DE, 'fr': FR, 'ja': JA, 'he': HE}


class Words:
    def __init__(self, language, rng):
        self.language, self.rng, self.bank = language, rng, LANGUAGES[language]
        self.titles = rng.sample(self.bank['title'], len(self.bank['title']))

    def pick(self, what): return self.rng.choice(self.bank[what])

    def clause(self):
        order = ('subject', 'object', 'verb') if self.language == 'ja' else ('subject', 'verb', 'object')
        parts = [self.pick(p) for p in order]
        if self.rng.random() < 0.6: parts.insert(0 if self.language == 'ja' else 3, self.pick('tail'))
        return self.bank['join'].join(parts)

    def sentence(self):
        text = self.clause()
        if self.rng.random() < 0.3: text += self.bank['comma'] + self.clause()
        return text[0].upper() + text[1:] + self.bank['stop']

    def prose(self, sentences): return self.bank['join'].join(self.sentence() for _ in range(sentences))

    def phrase(self):
        """Short: an item or a cell, without a stop."""
        text = self.pick('object')
        return text[0].upper() + text[1:]

    def title(self):
        """Never the same twice in one document while there are any left."""
        return self.titles.pop() if self.titles else self.phrase()

    def line(self, longest=44):
        """A line of verse."""
        text = self.clause()
        words = text.split(' ')
        while len(words) > 3 and len(' '.join(words)) > longest: words.pop()
        return (words[0][0].upper() + words[0][1:] + ' ' + ' '.join(words[1:])).strip()[:longest]

    def number(self): return self.rng.choice(('%d' % self.rng.randint(1, 999), '%.1f' % self.rng.uniform(0, 100), '%d,%03d' % (self.rng.randint(1, 99), self.rng.randint(0, 999))))

/** Names that attack the layout or the reader, by kind of attack. */
export const hostileNames = {
  override: 'invoice\u202Efdp',
  isolate: '\u2067Eve\u2066 \u2068of two\u2069\u2069',
  embedding: '\u202BAlice joined\u202A',
  rightToLeft: 'שלום (Bob) 123',
  arabic: 'مرحبا بالعالم',
  stacked: `Z${'\u0301\u0489\u0362'.repeat(40)}oe`,
  noSpaces: 'W'.repeat(120),
  marksAlone: '\u0489'.repeat(100),
  lines: 'One\u2028Two\u2029Three',
  invisible: '\u200B\u3164\u2060',
  manySpaces: `photo.jpg${'\u00A0'.repeat(90)}`,
  emoji: '👩‍👩‍👧‍👦'.repeat(11),
}

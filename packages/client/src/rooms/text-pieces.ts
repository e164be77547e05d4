/** A piece of a text: where it begins, in UTF-16 units. */
export interface Piece {
  at: number
  text: string
}

/** What stands for pieces that are missing. */
const missing = '…'

/** The pieces with one more, in order and without overlaps: it takes the place of those that it covers. */
export function withPiece(pieces: readonly Piece[], piece: Piece): Piece[] {
  const last = pieces.at(-1)
  const end = piece.at + piece.text.length
  // As most come.
  if (last && last.at + last.text.length === piece.at) {
    return [...pieces.slice(0, -1), { at: last.at, text: last.text + piece.text }]
  }
  const others = pieces.flatMap(({ at, text }) => [
    { at, text: text.slice(0, Math.max(0, piece.at - at)) },
    { at: Math.max(at, end), text: text.slice(Math.max(0, end - at)) },
  ])
  return [...others, piece].filter(({ text }) => text !== '').sort((one, other) => one.at - other.at)
}

export function textOfPieces(pieces: readonly Piece[]): string {
  let shown = ''
  let end = 0
  for (const { at, text } of pieces) {
    shown += (at > end ? missing : '') + text
    end = at + text.length
  }
  return shown
}

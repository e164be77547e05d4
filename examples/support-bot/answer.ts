import { setTimeout as pause } from 'node:timers/promises'

const known: [RegExp, string][] = [
  [/\b(return|refund|send back)/i, 'You can send anything back within 30 days. The label is in the parcel.'],
  [/\b(deliver|shipping|arrive)/i, 'We ship on the same day. It arrives within two days.'],
  [/\b(hello|hi|hey)\b/i, 'Hello! Ask me about delivery or returns.'],
]

/** The answer to a question, word by word, as a language model would give it: put yours here. */
export async function* answer(question: string): AsyncGenerator<string> {
  const text =
    known.find(([about]) => about.test(question))?.[1] ?? 'I do not know. A colleague of mine will write to you.'
  for (const word of text.split(/(?<= )/)) {
    yield word
    await pause(60)
  }
}

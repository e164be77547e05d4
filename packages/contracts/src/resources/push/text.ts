import { z } from 'zod'

function isLanguage(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}

/** A language tag of BCP 47. */
export const language = z.string().min(1).max(64).refine(isLanguage, 'expected a language tag such as de or zh-Hant')

/** A text with the placeholders `names`, of at most `max` bytes so that the message also fits into the push. */
const template = (max: number, ...names: string[]) => {
  const known = new Set<string>(names)
  return z
    .string()
    .min(1)
    .refine((text) => new TextEncoder().encode(text).length <= max, `expected at most ${max} bytes`)
    .refine(
      (text) => [...text.matchAll(/\{(\w+)\}/g)].every(([, name = '']) => known.has(name)),
      `expected no placeholder but ${names.map((name) => `{${name}}`).join(', ')}`,
    )
}
const text = (max: number) => template(max, 'sender', 'room', 'text')

/** The text of a message's pushes (docs/reference/push.md#texts-of-the-app). */
const pushText = z.strictObject({
  messageType: z.string().min(1).max(128).optional().describe('Default: every type'),
  roomType: z.enum(['direct', 'group']).optional().describe('Default: both'),
  language: language.optional().describe('Language of the device; absent: all other languages'),
  title: text(200),
  body: text(500),
  mentioned: text(500).optional().describe('`body` for mentioned users'),
  sound: z.string().min(1).max(100).optional().describe("Sound in the app; default: the system's"),
  category: z.string().min(1).max(100).optional().describe('APNs category, for notification actions'),
  image: template(300, 'avatar', 'image')
    .regex(/^https:\/\/|^\{(avatar|image)\}$/, 'expected an https URL, {avatar} or {image}')
    .optional()
    .describe('An https URL, `{avatar}` or `{image}`'),
})
export type PushText = z.infer<typeof pushText>

/** Of two texts for the same messages and language, one would never be used. */
export const pushTexts = z
  .array(pushText)
  .max(100)
  .superRefine((texts, context) => {
    const known = new Set<string>()
    for (const [index, { messageType, roomType, language: of }] of texts.entries()) {
      const place = JSON.stringify([messageType, roomType, of?.toLowerCase()])
      const message = 'expected one text per messageType, roomType and language'
      if (known.has(place)) context.addIssue({ code: 'custom', path: [index], message })
      known.add(place)
    }
  })

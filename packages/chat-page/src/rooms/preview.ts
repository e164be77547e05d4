import type { Message } from '@parley/client'
import { shownName } from '../app/shown-name.ts'
import { contentOf } from '../message/content.ts'
import type { Texts } from '../texts/en.ts'

/** A message in one line. */
export function previewOf(message: Message, texts: Texts): string {
  if (message.isDeleted) return texts.deleted
  const content = contentOf(message)
  switch (content.kind) {
    case 'recalled':
      return texts.recalled
    case 'unsupported':
      return texts.unsupported
    case 'system':
      return texts.system[content.event]('').trim()
    case 'image':
      return texts.image
    case 'file':
      return shownName(content.name) || texts.file
    case 'text':
      return shownName(content.text)
  }
}

import { ActionIcon, Anchor, Code, CopyButton, Group, Tooltip } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import { commonTexts } from '../texts/common.ts'
import { useLanguage, useTexts } from '../texts/texts.ts'
import { formatNumber, formatTime } from './formats.ts'
import { Icon } from './icon.tsx'

export const ViewLink = createLink(Anchor<'a'>)

/** A text from users. Its direction is isolated, and characters that reorder or hide text are made visible. */
export function UserText({ text }: { text: string }) {
  return <bdi className="user-text">{visible(text)}</bdi>
}

/** Replaces bidirectional controls and other zero-width characters by ⍰. */
// oxlint-disable-next-line no-misleading-character-class -- matches single characters, none of them joined
export const visible = (text: string): string =>
  text.replaceAll(/[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/gu, '⍰')

/** Whether a name shows nothing: it is empty, or has spaces and invisible characters only. */
export const isBlank = (name: string | undefined): boolean =>
  name === undefined || /^[\s\u2800\p{Default_Ignorable_Code_Point}]*$/u.test(name)

/** A name, or the ID if it shows nothing. */
export function Name({ name, id }: { name?: string | undefined; id: string }) {
  return name === undefined || isBlank(name) ? <Code>{visible(id)}</Code> : <UserText text={name} />
}

/** Preformatted text, such as JSON. Scrolls, by keyboard too. */
export function Lines({ label, text }: { label: string; text: string }) {
  return (
    <pre className="code" role="group" aria-label={label} tabIndex={0}>
      {visible(text)}
    </pre>
  )
}

/** A time in the operator's language and time zone, with the exact time on hover. */
export function Time({ at }: { at: number | string | undefined }) {
  const language = useLanguage()
  const t = useTexts(commonTexts)
  if (at === undefined || at === 0) return <>{t.never}</>
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return <>{String(at)}</>
  const text = formatTime(language, 'moment', date)
  return (
    <time dateTime={date.toISOString()} title={date.toISOString()}>
      {text}
    </time>
  )
}

export function useNumber(): (value: number) => string {
  const language = useLanguage()
  return (value) => formatNumber(language, value)
}

/** An ID with a copy button. */
export function Id({ id }: { id: string }) {
  return (
    <Group gap={4} wrap="nowrap" className="id">
      <Code>{visible(id)}</Code>
      <Copy text={id} />
    </Group>
  )
}

/** A copy button. Browsers allow copying only over https or on localhost. */
export function Copy({ text }: { text: string }) {
  const t = useTexts(commonTexts)
  return (
    <CopyButton value={text}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? t.copied : t.copy}>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            onClick={copy}
            aria-label={copied ? t.copied : `${t.copy} ${visible(text)}`}
          >
            <Icon name={copied ? 'check' : 'copy'} size={14} />
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  )
}

import { Button } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import { Icon } from '../../components/icon.tsx'
import { useApp } from '../../session/session.tsx'
import { useTexts } from '../../texts/texts.ts'
import { timelineTexts } from './texts.ts'

const LinkButton = createLink(Button<'a'>)

/** A link to the timeline of a user or room, for roles that may see it. */
export function TimelineLink({ of }: { of: { user: string } | { room: string } }) {
  const t = useTexts(timelineTexts)
  const { app, may } = useApp()
  if (!may('GET /admin/timeline')) return null
  return (
    <LinkButton
      component="a"
      size="xs"
      variant="default"
      leftSection={<Icon name="time" size={16} />}
      to="/apps/$app/timeline"
      params={{ app }}
      search={of}
    >
      {t.timeline}
    </LinkButton>
  )
}

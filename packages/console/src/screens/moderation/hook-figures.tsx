import { Alert, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Bars } from '../../components/bars.tsx'
import { Dimmed } from '../../components/dimmed.tsx'
import { Icon } from '../../components/icon.tsx'
import { Section } from '../../components/page.tsx'
import { useNumber, visible } from '../../components/shown.tsx'
import { Loaded } from '../../components/states.tsx'
import { useApp } from '../../session/session.tsx'
import { useTexts } from '../../texts/texts.ts'
import { hookQuery } from './query.ts'
import { moderationTexts } from './texts.ts'

/** Response counts and latencies of MODERATE, and the processes whose calls are paused after failures. */
export function HookFigures() {
  const t = useTexts(moderationTexts)
  const number = useNumber()
  const { app, api } = useApp()
  const query = useQuery(hookQuery(app, api))
  return (
    <Section title={t.hookFigures}>
      <Loaded query={query} rows={2}>
        {({ hour, day, minutes, breakers, silentNodes }) => {
          const paused = breakers.filter(({ state }) => state !== 'closed').map(({ node }) => visible(node))
          const calls = minutes.map(({ figures: { allow, mask, refuse, unanswered } }) => ({
            value: allow + mask + refuse + unanswered,
            failed: unanswered,
          }))
          return (
            <>
              {paused.length > 0 && (
                <Alert color="red" icon={<Icon name="warning" />} title={t.breakerOpen} mb="sm">
                  {t.breakerOpenHint(paused.join(', '))}
                </Alert>
              )}
              {silentNodes.length > 0 && <Dimmed mb="sm">{t.hookSilent(silentNodes.map(visible).join(', '))}</Dimmed>}
              <div className="cards">
                {[
                  { label: t.lastHour, of: hour },
                  { label: t.lastDay, of: day },
                ].map(({ label, of }) => (
                  <section className="card" key={label} aria-label={label}>
                    <Dimmed>{label}</Dimmed>
                    <span className="card-value">{number(of.allow + of.mask + of.refuse + of.unanswered)}</span>
                    <Text size="xs">{t.hookAnswers(number(of.allow), number(of.mask), number(of.refuse))}</Text>
                    <Text size="xs">{t.hookFailed(number(of.unanswered))}</Text>
                    <Dimmed size="xs">
                      {of.p50MS === undefined || of.p99MS === undefined
                        ? t.hookNoTimes
                        : t.hookTimes(number(of.p50MS), number(of.p99MS))}
                    </Dimmed>
                  </section>
                ))}
                <section className="card" aria-label={t.hookMinutes}>
                  <Dimmed>{t.hookMinutes}</Dimmed>
                  <Bars
                    label={t.hookMost(number(calls.reduce((most, { value }) => Math.max(most, value), 0)))}
                    bars={calls}
                  />
                </section>
              </div>
            </>
          )
        }}
      </Loaded>
    </Section>
  )
}

import { getRouteApi } from '@tanstack/react-router'
import { Page } from '../../components/page.tsx'
import { Parts } from '../../components/parts.tsx'
import { Loaded } from '../../components/states.tsx'
import { useConfig } from '../../session/config.ts'
import { useTexts } from '../../texts/texts.ts'
import { AppSettings } from './app-settings.tsx'
import { ChatPage } from './chat-page.tsx'
import { settingsTexts } from './texts.ts'

const route = getRouteApi('/shell/apps/$app/settings')

/** The app's configuration as forms: the chat page with a preview, files, messages and people. */
export function Settings() {
  const t = useTexts(settingsTexts)
  const { tab = 'chat' } = route.useSearch()
  const navigate = route.useNavigate()
  return (
    <Page
      title={t.settings}
      actions={
        <Parts
          label={t.part}
          value={tab}
          parts={[
            ['chat', t.chat],
            ['app', t.app],
          ]}
          onChange={(next) => void navigate({ search: { tab: next } })}
        />
      }
    >
      <Shown tab={tab} />
    </Page>
  )
}

function Shown({ tab }: { tab: 'chat' | 'app' }) {
  const query = useConfig()
  return (
    <Loaded query={query}>
      {(config) => (tab === 'chat' ? <ChatPage config={config} /> : <AppSettings config={config} />)}
    </Loaded>
  )
}

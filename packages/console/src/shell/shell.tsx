import { ActionIcon, Badge, Drawer, Group, Kbd, Select, Text, UnstyledButton } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Link, Outlet } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { baseUrl, resultOf } from '../api.ts'
import { sayFailure } from '../components/confirm.tsx'
import { Icon } from '../components/icon.tsx'
import { OnceProvider } from '../components/once.tsx'
import { useFailureText } from '../components/states.tsx'
import { useSubmit } from '../components/use-submit.ts'
import { useSession } from '../session/session.tsx'
import { useTexts } from '../texts/texts.ts'
import { useAppOfAddress, useSwitchApp } from './app-of-address.ts'
import { LanguageMenu, ThemeMenu } from './choices.tsx'
import { GoDialog } from './go-dialog.tsx'
import { viewsFor } from './navigation.ts'
import { useShortcuts } from './shortcuts.ts'
import { ShortcutsDialog } from './shortcuts-dialog.tsx'
import { shellTexts } from './texts.ts'

const lastApp = 'parley-console-app'

/** A view with the navigation: a column, or a drawer on a phone. */
export function Shell() {
  const t = useTexts(shellTexts)
  const { session } = useSession()
  const address = useAppOfAddress()
  const app = address ?? rememberedApp(session.apps) ?? session.apps[0]?.app
  const [isDrawerOpen, drawer] = useDisclosure()
  const [isGoOpen, go] = useDisclosure()
  const [isHelpOpen, help] = useDisclosure()
  useShortcuts({ app, onGo: go.open, onHelp: help.open })
  useEffect(() => {
    if (address !== undefined) sessionStorage.setItem(lastApp, address)
  }, [address])
  const content = useRef<HTMLElement>(null)
  return (
    <OnceProvider>
      <div className="shell">
        <a
          className="skip"
          href="#content"
          onClick={(event) => {
            event.preventDefault()
            content.current?.focus()
          }}
        >
          {t.skip}
        </a>
        {/* Not a header element, since dialogs have one. */}
        <nav className="bar" aria-label={t.console}>
          <ActionIcon variant="subtle" color="gray" aria-label={t.openNavigation} onClick={drawer.open}>
            <Icon name="menu" />
          </ActionIcon>
          <Brand />
          <ActionIcon variant="subtle" color="gray" aria-label={t.go} onClick={go.open}>
            <Icon name="search" />
          </ActionIcon>
        </nav>
        <nav className="side" aria-label={t.navigation}>
          <Brand />
          <Navigation app={app} onGo={go.open} />
        </nav>
        <Drawer
          opened={isDrawerOpen}
          onClose={drawer.close}
          size={280}
          lockScroll={false}
          title={<Brand />}
          closeButtonProps={{ 'aria-label': t.navigation }}
        >
          <nav className="drawer-side" aria-label={t.navigation}>
            <Navigation app={app} onGo={go.open} onChosen={drawer.close} />
          </nav>
        </Drawer>
        <main className="content" id="content" tabIndex={-1} ref={content}>
          <Outlet />
        </main>
        {isGoOpen && <GoDialog app={app} onClose={go.close} />}
        {isHelpOpen && <ShortcutsDialog onClose={help.close} />}
      </div>
    </OnceProvider>
  )
}

function Brand() {
  const t = useTexts(shellTexts)
  return (
    <Group gap="xs" wrap="nowrap" className="brand">
      <img src={`${baseUrl}/console/files/console.svg`} alt="" width={26} height={26} />
      <Text fw={700}>Parley</Text>
      <Text c="dimmed" size="sm">
        {t.console}
      </Text>
    </Group>
  )
}

function Navigation({ app, onGo, onChosen }: { app: string | undefined; onGo: () => void; onChosen?: () => void }) {
  const t = useTexts(shellTexts)
  const { session } = useSession()
  const switchApp = useSwitchApp()
  const current = session.apps.find((each) => each.app === app)
  return (
    <>
      {app !== undefined && (
        <Select
          label={t.app}
          size="sm"
          searchable
          allowDeselect={false}
          data={session.apps.map((each) => each.app)}
          value={app}
          limit={100}
          onChange={(next) => {
            if (next === null) return
            onChosen?.()
            switchApp(next)
          }}
        />
      )}
      {current && (
        <Badge size="sm" className="role">
          {t[current.role]}
        </Badge>
      )}
      <UnstyledButton
        className="go"
        onClick={() => {
          onChosen?.()
          onGo()
        }}
      >
        <Icon name="search" size={16} />
        <span>{t.go}</span>
        <Kbd size="xs">{isApple ? '⌘' : 'Ctrl'} K</Kbd>
      </UnstyledButton>
      {app !== undefined && (
        <ul className="views">
          {viewsFor(session, app).map(({ name, to, icon }) => (
            <li key={name}>
              <Link
                to={to}
                params={{ app }}
                className="view-link"
                activeProps={{ 'aria-current': 'page' }}
                onClick={onChosen}
              >
                <Icon name={icon} />
                {t[name]}
              </Link>
            </li>
          ))}
        </ul>
      )}
      <Account onChosen={onChosen} />
    </>
  )
}

function Account({ onChosen }: { onChosen: (() => void) | undefined }) {
  const t = useTexts(shellTexts)
  const { session, api, end } = useSession()
  const failureText = useFailureText()
  const signOut = useSubmit({
    mutationFn: () => resultOf(api.DELETE('/operator/session')),
    onSuccess: end,
    onError: (error) => sayFailure(failureText(error)),
  })
  return (
    <div className="account">
      <Link to="/account" className="view-link" activeProps={{ 'aria-current': 'page' }} onClick={onChosen}>
        <Icon name="user" />
        <span className="cut">{session.operator.name}</span>
      </Link>
      <Group gap={4} wrap="nowrap">
        <LanguageMenu />
        <ThemeMenu />
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={t.signOut}
          title={t.signOut}
          onClick={() => signOut.mutate()}
        >
          <Icon name="leave" />
        </ActionIcon>
      </Group>
    </div>
  )
}

const isApple = /Mac|iPhone|iPad/.test(navigator.platform)

function rememberedApp(apps: readonly { app: string }[]): string | undefined {
  const known = sessionStorage.getItem(lastApp)
  return apps.find(({ app }) => app === known)?.app
}

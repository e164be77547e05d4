import { Badge, createTheme, MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { ApiFailure } from './api.ts'
import { noteInput } from './attendance.ts'
import { router } from './router.ts'
import { startSession } from './session/session.tsx'
import { LanguageProvider } from './shell/language.tsx'

const theme = createTheme({
  primaryColor: 'indigo',
  respectReducedMotion: true,
  cursorType: 'pointer',
  components: {
    Badge: Badge.extend({ defaultProps: { variant: 'light', tt: 'none' } }),
    // A closed Select would render its options, and measure where to show them.
    Combobox: { defaultProps: { keepMounted: false } },
    // Tab closes a list. In Chromium it would also focus the list, which scrolls, and so lose the focus.
    Select: { defaultProps: { scrollAreaProps: { viewportProps: { tabIndex: -1 } } } },
  },
})
const queries = new QueryClient({
  defaultOptions: {
    // Offline calls fail at once: otherwise they would wait, and actions happen long after they were asked for.
    mutations: { networkMode: 'always' },
    queries: {
      staleTime: 10_000,
      networkMode: 'always',
      // Refusals are final; other failures may be transient. After a timeout the operator has waited long enough.
      retry: (failures, error) =>
        failures < 2 &&
        !(
          error instanceof ApiFailure &&
          (error.code === 'TIMEOUT' || error.status in { 400: 1, 401: 1, 403: 1, 404: 1, 429: 1 })
        ),
    },
  },
})

for (const input of ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchmove'])
  addEventListener(input, noteInput, { capture: true, passive: true })
startSession(queries)

// A relative URL would resolve differently in each view.
const icon = document.querySelector<HTMLLinkElement>('link[rel=icon]')
if (icon) icon.href = new URL('console.svg', import.meta.url).href

const element = document.getElementById('console')
if (!element) throw new Error('no #console')
createRoot(element).render(
  <StrictMode>
    {/* Variables and classes come from styles/theme.css, since the CSP forbids styles written by scripts. */}
    <MantineProvider theme={theme} defaultColorScheme="auto" withCssVariables={false} withGlobalClasses={false}>
      <QueryClientProvider client={queries}>
        <LanguageProvider>
          <Notifications position="bottom-right" />
          <RouterProvider router={router} context={{ queries }} />
        </LanguageProvider>
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
)

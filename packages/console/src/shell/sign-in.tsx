import { Alert, Button, Divider, Paper, PasswordInput, Stack, TextInput, Title } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { type Api, ApiFailure, baseUrl, createApi, resultOf } from '../api.ts'
import { Dimmed } from '../components/dimmed.tsx'
import { submitProps, textProps } from '../components/field-props.ts'
import { Icon } from '../components/icon.tsx'
import { Failure, useFailureText } from '../components/states.tsx'
import { type Session, setSession } from '../session/session.tsx'
import { commonTexts } from '../texts/common.ts'
import { useTexts } from '../texts/texts.ts'
import { LanguageMenu, ThemeMenu } from './choices.tsx'
import { linkToken, ssoError } from './link-token.ts'
import { openBeside, rememberAddress } from './return-address.ts'
import { shellTexts } from './texts.ts'

const api: Api = createApi({ onSessionEnd: () => {} })

/**
 * Sign-in by password with an optional authenticator code, by passkey, identity provider or link.
 * @param props.isWaiting whether a view waits below it, with all that has been typed
 */
export function SignIn({ isWaiting = false }: { isWaiting?: boolean }) {
  const t = useTexts(shellTexts)
  const [link, setLink] = useState(linkToken.present)
  useEffect(() => {
    document.title = `${t.signIn} · Parley`
  }, [t])
  return (
    <main className="sign-in">
      <Paper withBorder shadow="sm" p="xl" radius="lg" w="100%" maw={400}>
        <Stack gap="lg">
          <Stack gap={4} align="center" ta="center">
            <img src={`${baseUrl}/console/files/console.svg`} alt="" width={44} height={44} />
            <Title order={1} size="h3">
              {t.signInTitle}
            </Title>
            <Dimmed>{link === undefined ? t.sessionEnded : t.byLink}</Dimmed>
          </Stack>
          {link === undefined ? (
            <Ways isWaiting={isWaiting} />
          ) : (
            <ByLink
              token={link}
              onGiveUp={() => {
                linkToken.present = undefined
                setLink(undefined)
              }}
            />
          )}
        </Stack>
      </Paper>
      <div className="sign-in-choices">
        <LanguageMenu />
        <ThemeMenu />
      </div>
    </main>
  )
}

function useSignIn<Input>(call: (input: Input) => Promise<Session>) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: call,
    onSuccess: (session) => {
      linkToken.present = undefined
      setSession(queries, session)
    },
  })
}

/** The sign-in methods of the installation. */
function Ways({ isWaiting }: { isWaiting: boolean }) {
  const t = useTexts(shellTexts)
  const methods = useQuery({
    queryKey: ['session', 'methods'],
    queryFn: ({ signal }) => resultOf(api.GET('/operator/methods', { signal })),
    staleTime: Number.POSITIVE_INFINITY,
  })
  return (
    <>
      {ssoError !== undefined && (
        <Alert color="red" role="alert" icon={<Icon name="warning" />}>
          {ssoError === 'SERVICE_UNAVAILABLE' ? t.ssoAway : ssoError === 'TOO_MANY_REQUESTS' ? t.tooMany : t.ssoFailed}
        </Alert>
      )}
      {methods.isError && <Failure error={methods.error} retry={() => void methods.refetch()} />}
      {methods.data?.password !== false && <ByPassword />}
      <Divider label={t.or} />
      <ByPasskey />
      {methods.data?.sso && (
        <Button
          component="a"
          variant="default"
          leftSection={<Icon name="key" />}
          href={`${baseUrl}/operator/oidc`}
          onClick={(event) => {
            if (isWaiting && openBeside(event.currentTarget.href)) event.preventDefault()
            else rememberAddress()
          }}
        >
          {t.bySso}
        </Button>
      )}
    </>
  )
}

function ByPassword() {
  const t = useTexts(shellTexts)
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [totp, setTotp] = useState('')
  const signIn = useSignIn(() =>
    resultOf(api.POST('/operator/session', { body: { email, password, ...(totp !== '' && { totp }) } })),
  )
  const asksCode = codeOf(signIn.error) === 'TOTP_REQUIRED'
  // The field stays while another code is typed.
  const [needsCode, setNeedsCode] = useState(false)
  if (asksCode && !needsCode) setNeedsCode(true)
  return (
    <>
      <form {...submitProps(() => signIn.mutate(undefined))}>
        <Stack gap="sm">
          <TextInput
            label={t.email}
            type="email"
            autoComplete="username"
            required
            withAsterisk={false}
            autoFocus
            {...textProps(email, (next) => {
              setEmail(next)
              setTotp('')
              setNeedsCode(false)
              signIn.reset()
            })}
          />
          <PasswordInput
            label={t.password}
            autoComplete="current-password"
            required
            withAsterisk={false}
            {...textProps(password, setPassword)}
          />
          {needsCode && (
            <TextInput
              label={t.code}
              description={t.codeHint}
              autoComplete="one-time-code"
              maxLength={19}
              autoFocus
              {...textProps(totp, (text) => setTotp(text.trim()))}
            />
          )}
          <Refusal error={signIn.error} wrong={t.wrong} />
          <Button type="submit" fullWidth mt="xs" loading={signIn.isPending}>
            {t.signIn}
          </Button>
        </Stack>
      </form>
    </>
  )
}

function ByPasskey() {
  const t = useTexts(shellTexts)
  const signIn = useSignIn(async () => {
    // Loaded on demand, since few operators use passkeys.
    const { startAuthentication } = await import('@simplewebauthn/browser')
    const { options } = await resultOf(api.POST('/operator/passkey/challenge'))
    const { response, ...made } = await startAuthentication({
      optionsJSON: options,
    })
    return resultOf(api.POST('/operator/passkey', { body: { credential: { ...made, response: { ...response } } } }))
  })
  return (
    <>
      <Refusal error={signIn.error} wrong={t.wrongPasskey} />
      <Button
        variant="default"
        leftSection={<Icon name="key" />}
        loading={signIn.isPending}
        onClick={() => signIn.mutate(undefined)}
      >
        {t.byPasskey}
      </Button>
    </>
  )
}

function ByLink({ token, onGiveUp }: { token: string; onGiveUp: () => void }) {
  const t = useTexts(shellTexts)
  const signIn = useSignIn(() => resultOf(api.POST('/operator/link', { body: { token } })))
  return (
    <Stack gap="sm">
      <Refusal error={signIn.error} wrong={t.wrongLink} />
      {/* Needs a click, since link scanners in e-mail programs would use up the link. */}
      <Button autoFocus loading={signIn.isPending} onClick={() => signIn.mutate(undefined)}>
        {t.useLink}
      </Button>
      <Button variant="subtle" onClick={onGiveUp}>
        {t.notByLink}
      </Button>
    </Stack>
  )
}

function Refusal({ error, wrong }: { error: Error | null; wrong: string }) {
  const t = useTexts(shellTexts)
  const common = useTexts(commonTexts)
  const textOf = useFailureText()
  const code = codeOf(error)
  if (!error || code === 'TOTP_REQUIRED') return null
  const text = () => {
    if (code === 'SIGN_IN_FAILED') return wrong
    if (error.name === 'NotAllowedError') return t.passkeyCancelled
    if (!(error instanceof ApiFailure) || code !== 'TOO_MANY_REQUESTS') return textOf(error)
    return error.retryAfterS === undefined ? t.tooMany : t.tooManyUntil(common.waitFor(error.retryAfterS))
  }
  return (
    <Alert color="red" role="alert" icon={<Icon name="warning" />}>
      {text()}
    </Alert>
  )
}

const codeOf = (error: Error | null) => (error instanceof ApiFailure ? error.code : undefined)

import { type FormEvent, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { Chat } from './chat.tsx'

const post = async (path: string, body: object = {}) => {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })
  const json = (await response.json()) as { error?: string; url: string; token: string }
  if (!response.ok) throw new Error(json.error)
  return json
}

function App() {
  const [parleyURL, setParleyURL] = useState('')
  const [error, setError] = useState('')

  async function signIn(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    try {
      await post('/session', Object.fromEntries(new FormData(event.currentTarget)))
      setParleyURL((await post('/chat')).url)
    } catch (problem) {
      setError((problem as Error).message)
    }
  }

  // The client asks for a token when it needs one: at first, and when one has ended.
  if (parleyURL)
    return <Chat url={parleyURL} token={async ({ last }) => (await post('/chat', { refused: last })).token} />
  return (
    <form className="sign-in" onSubmit={(event) => void signIn(event)}>
      <h1>The shop</h1>
      <label>
        Name <input name="user" autoComplete="username" required />
      </label>
      <label>
        Password <input name="password" type="password" autoComplete="current-password" required />
      </label>
      <button type="submit">Sign in</button>
      <p role="alert">{error}</p>
    </form>
  )
}

const root = document.querySelector('#root')
if (root) createRoot(root).render(<App />)

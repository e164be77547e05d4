import type { ReactNode } from 'react'
import '@parley/client/react-ui.css'
import './style.css'

export const metadata = { title: 'Messages' }

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en">
      <body>{children}</body>
    </html>
  )
}

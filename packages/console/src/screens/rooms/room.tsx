import { Page } from '../../components/page.tsx'
export function Room() {
  return <Page title="Room">…</Page>
}

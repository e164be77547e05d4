import { Page } from '../../components/page.tsx'
export function Users() {
  return <Page title="Users">…</Page>
}

import { Page } from '../../components/page.tsx'
export function User() {
  return <Page title="User">…</Page>
}

import { Page } from '../../components/page.tsx'
export function Rooms() {
  return <Page title="Rooms">…</Page>
}

import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type Api, resultOf } from '../../api.ts'
import { Dialog } from '../../components/confirm.tsx'
import { Lines } from '../../components/shown.tsx'
import { Loaded } from '../../components/states.tsx'
import { useApp } from '../../session/session.tsx'
import { useTexts } from '../../texts/texts.ts'
import { WithReason } from '../rooms/conversation/reason.tsx'
import { deliveryTexts } from './texts.ts'

/** The data and the response of a call. Reading them needs a reason, since both can contain message texts. */
export function SentDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const t = useTexts(deliveryTexts)
  return (
    <Dialog title={t.sent} onClose={onClose} size="lg">
      <WithReason about="data of webhook calls">{(api) => <Sent api={api} id={id} />}</WithReason>
    </Dialog>
  )
}

function Sent({ api, id }: { api: Api; id: string }) {
  const t = useTexts(deliveryTexts)
  const { app } = useApp()
  const query = useQuery({
    queryKey: [app, 'call', id],
    queryFn: ({ signal }) => resultOf(api.GET('/admin/webhooks/calls/{id}', { params: { path: { id } }, signal })),
  })
  return (
    <>
      <Text size="sm" c="dimmed" mb="xs">
        {t.sentHint}
      </Text>
      <Loaded query={query}>
        {({ data, call: { answer = '' } }) => (
          <>
            <Lines label={t.sent} text={JSON.stringify(data, null, 2)} />
            {answer !== '' && (
              <>
                <Text size="sm" mt="sm">
                  {t.answer}
                </Text>
                <Lines label={t.answer} text={answer} />
              </>
            )}
          </>
        )}
      </Loaded>
    </>
  )
}

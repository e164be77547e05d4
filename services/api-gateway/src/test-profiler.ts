import type { TestGateway } from './test-gateway.ts'

type Mongo = TestGateway['chat']['db']['mongo']
/** A document of any shape. */
type Recorded = Awaited<ReturnType<Mongo['command']>>

/** The gateway's database commands during some work, from the profiler. Earlier events are published first. */
export async function recorded(
  { chat: { db, outbox } }: Pick<TestGateway, 'chat'>,
  work: () => Promise<unknown>,
): Promise<Recorded[]> {
  const { mongo } = db
  await outbox.drained()
  await mongo.collection('system.profile').drop()
  await mongo.command({ profile: 2, slowms: 0 })
  try {
    await work()
  } finally {
    await mongo.command({ profile: 0 })
  }
  return mongo.collection('system.profile').find().toArray()
}

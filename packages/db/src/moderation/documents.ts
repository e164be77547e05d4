import type { ReportDecision } from '@parley/contracts/resources/report'

/** Users' reports of one message. */
export interface ReportDoc {
  /** key(app, message) */
  _id: string
  app: string
  /** As the API names it. */
  id: string
  message: string
  room: string
  roomKey: string
  sender: string
  senderKey: string
  messageType: string
  messageTimeMS: number
  /** The content at the first report, as JSON text: it outlives the message, until the report is decided. */
  content?: string
  /** In the order of their reports. */
  reporters: { client: string; userKey: string; reason: string; atMS: number }[]
  count: number
  status: 'open' | 'decided'
  createdAtMS: number
  updatedAtMS: number
  /** The decision being carried out, and the end of its lease. */
  deciding?: { decision: ReportDecision; untilMS: number }
  decision?: ReportDecision
  decidedAtMS?: number
  /** When it is deleted, with everything in it. */
  expiresAt: Date
}

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
  /** The content when it was first reported, as JSON text: it outlives the message, until the report is decided. */
  content?: string
  /** In the order of their reports. */
  reporters: { client: string; userKey: string; reason: string; atMS: number }[]
  count: number
  status: 'open' | 'decided'
  createdAtMS: number
  updatedAtMS: number
  /** The decision being carried out, and until when: it excludes others. */
  deciding?: { decision: ReportDecision; untilMS: number }
  decision?: ReportDecision
  decidedAtMS?: number
  /** Then it is forgotten, with all that it has. */
  expiresAt: Date
}

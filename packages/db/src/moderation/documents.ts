import type { ReportDecision } from '@parley/contracts/resources/report'

export interface ReportDoc {
  /** key(app, message) */
  _id: string
  app: string
  /** ID of the report in the API. */
  id: string
  message: string
  room: string
  /** Root of the message's thread. */
  threadOf?: string
  roomKey: string
  sender: string
  senderKey: string
  messageType: string
  messageTimeMS: number
  /**
   * The content at the first report, as JSON text. Kept until the report is decided, even if the message is deleted.
   */
  content?: string
  /** Ordered by time of the report. */
  reporters: { client: string; userKey: string; reason: string; atMS: number }[]
  count: number
  status: 'open' | 'decided'
  createdAtMS: number
  updatedAtMS: number
  /** The decision in progress, and the end of its lease. */
  deciding?: { decision: ReportDecision; untilMS: number }
  decision?: ReportDecision
  decidedAtMS?: number
  /** When the report is deleted. */
  expiresAt: Date
}

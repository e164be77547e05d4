export const jobStates = ['running', 'done', 'failed'] as const
export const jobKinds = ['batch', 'erasure', 'export'] as const

export interface JobsSearch {
  state?: (typeof jobStates)[number] | undefined
  kind?: (typeof jobKinds)[number] | undefined
  from?: string | undefined
  to?: string | undefined
  cursor?: string | undefined
  /** The job whose outcomes are shown. */
  job?: string | undefined
  /** Outcomes before those that are shown. */
  skip?: number | undefined
}

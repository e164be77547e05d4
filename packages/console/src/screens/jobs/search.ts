export const jobStates = ['running', 'done', 'failed'] as const
export const jobKinds = ['batch', 'erasure', 'export'] as const

export interface JobsSearch {
  state?: (typeof jobStates)[number] | undefined
  kind?: (typeof jobKinds)[number] | undefined
  from?: string | undefined
  to?: string | undefined
  cursor?: string | undefined
  /** ID of the job whose outcomes are shown. */
  job?: string | undefined
  /** Number of outcomes to skip. */
  skip?: number | undefined
}

/** The lease of a running import: one per app. Uses the database's clock. */
export interface ImportLease {
  by: string
  until: Date
}

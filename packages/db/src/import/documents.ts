/** The lease of a running import, which excludes others of the app. By the clock of the database. */
export interface ImportLease {
  by: string
  until: Date
}

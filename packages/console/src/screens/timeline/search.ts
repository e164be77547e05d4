export interface TimelineSearch {
  user?: string | undefined
  device?: string | undefined
  room?: string | undefined
  from?: string | undefined
  to?: string | undefined
  kinds?: string | undefined
}

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { resultOf } from '../../api.ts'
import { useApp } from '../../session/session.tsx'
import type { Report } from './report.ts'

/** The most IDs in a filter of either list. */
const most = 100

type Names = ReadonlyMap<string, string | undefined>
const none: Names = new Map()

/** Names of the users and rooms of reports by ID, as far as they exist and the operator's role may read them. */
export function useNames(reports: readonly Report[]): { users: Names; rooms: Names } {
  const { app, api, may } = useApp()
  const ofUsers = distinct(reports.flatMap(({ sender, reasons }) => [sender, ...reasons.map(({ client }) => client)]))
  const ofRooms = distinct(reports.map(({ room }) => room))
  const userNames = useQuery({
    queryKey: [app, 'names of users', ofUsers],
    queryFn: async ({ signal }) => {
      const query = { q: among(ofUsers), limit: most }
      const { data } = await resultOf(api.GET('/admin/clients', { params: { query }, signal }))
      return new Map(data.map(({ _id, nickname }) => [_id, nickname]))
    },
    enabled: ofUsers.length > 0 && may('GET /admin/clients'),
    placeholderData: keepPreviousData,
  })
  const roomNames = useQuery({
    queryKey: [app, 'names of rooms', ofRooms],
    queryFn: async ({ signal }) => {
      const query = { q: among(ofRooms), limit: most }
      const { data } = await resultOf(api.GET('/admin/rooms', { params: { query }, signal }))
      return new Map(data.map(({ _id, name }) => [_id, name]))
    },
    enabled: ofRooms.length > 0 && may('GET /admin/rooms'),
    placeholderData: keepPreviousData,
  })
  return { users: userNames.data ?? none, rooms: roomNames.data ?? none }
}

const distinct = (ids: readonly string[]) => [...new Set(ids)].slice(0, most).toSorted()
const among = (ids: readonly string[]) => JSON.stringify({ _id: { $in: ids } })

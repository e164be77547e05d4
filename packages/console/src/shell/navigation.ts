import type { IconName } from '../components/icon.tsx'
import { isOwner, mayCall, type Operation, type Session } from '../session/session.tsx'

/** The views of an app, in navigation order. */
export const views = [
  { name: 'overview', to: '/apps/$app/overview', icon: 'chart', key: 'o', needs: 'GET /admin/overview' },
  { name: 'users', to: '/apps/$app/users', icon: 'users', key: 'u', needs: 'GET /admin/clients' },
  { name: 'rooms', to: '/apps/$app/rooms', icon: 'rooms', key: 'r', needs: 'GET /admin/rooms' },
  {
    name: 'moderation',
    to: '/apps/$app/moderation',
    icon: 'shield',
    key: 'm',
    needs: ['GET /admin/reports', 'GET /config'],
  },
  { name: 'timeline', to: '/apps/$app/timeline', icon: 'time', key: 't', needs: 'GET /admin/timeline' },
  { name: 'delivery', to: '/apps/$app/delivery', icon: 'webhook', key: 'd', needs: 'GET /admin/push/why' },
  { name: 'developers', to: '/apps/$app/developers', icon: 'code', key: 'c', needs: 'GET /config' },
  { name: 'jobs', to: '/apps/$app/jobs', icon: 'jobs', key: 'j', needs: 'GET /admin/jobs' },
  { name: 'settings', to: '/apps/$app/settings', icon: 'gear', key: 's', needs: 'GET /config' },
  { name: 'audit', to: '/apps/$app/audit', icon: 'list', key: 'a', needs: 'GET /admin/audit' },
  { name: 'operators', to: '/apps/$app/operators', icon: 'user', key: 'p', needs: 'owner' },
] as const satisfies readonly PlannedView[]

export type View = (typeof views)[number]
/** The operation, or one of them, that an operator must be allowed to call to see a view, or the role of an owner. */
export type Needs = Operation | readonly Operation[] | 'owner'

interface PlannedView {
  /** Key of the label in texts.ts. */
  name: string
  to: string
  icon: IconName
  /** Shortcut key after `g`. */
  key: string
  needs: Needs
}

/** The view at a route's path; undefined for the account and unknown addresses. */
export const viewAt = (path: string): View | undefined =>
  views.find(({ to }) => path === to || path.startsWith(`${to}/`))

export const maySee = (session: Session, app: string, { needs }: View): boolean =>
  needs === 'owner' ? isOwner(session, app) : [needs].flat().some((each) => mayCall(session, app, each))

/** The views of an app that its operator may see. */
export const viewsFor = (session: Session, app: string): View[] => views.filter((view) => maySee(session, app, view))

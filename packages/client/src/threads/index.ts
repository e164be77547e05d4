export { createThreads, type ThreadInfo, type UserThreads } from './user-threads.ts'

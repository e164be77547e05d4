// Vitest stops workers with SIGTERM. Exiting runs the handlers that stop the servers of the worker's files.
if (process.listenerCount('SIGTERM') === 0) process.once('SIGTERM', () => process.exit())

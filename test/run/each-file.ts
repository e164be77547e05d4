// vitest ends the process of a file by SIGTERM. Servers that the file started end by exit handlers.
if (process.listenerCount('SIGTERM') === 0) process.once('SIGTERM', () => process.exit())

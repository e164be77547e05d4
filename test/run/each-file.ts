// vitest ends the process of a file by SIGTERM. Exit handlers end the servers that the file started.
if (process.listenerCount('SIGTERM') === 0) process.once('SIGTERM', () => process.exit())

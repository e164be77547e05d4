import type { RunningService } from './platform.ts'

/** The status of a service's `/readyz`, and its failing dependencies. */
export async function readiness(service: RunningService): Promise<{ status: number; failing: Record<string, string> }> {
  const answer = await fetch(`http://127.0.0.1:${service.ports['internal']}/readyz`)
  const { failing } = (await answer.json()) as { failing: Record<string, string> }
  return { status: answer.status, failing }
}

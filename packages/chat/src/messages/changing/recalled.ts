/** The messageType of a message that was recalled. */
export const recalled = 'recall'

export function isRecalled({ messageType }: { messageType: string }): boolean {
  return messageType === recalled
}

/** Copies a text, even on plain http, where the clipboard API is missing. */
export async function copyText(text: string): Promise<void> {
  const { clipboard } = navigator as { clipboard?: Clipboard }
  if (clipboard) return clipboard.writeText(text)
  const put = (event: ClipboardEvent) => {
    event.preventDefault()
    event.clipboardData?.setData('text/plain', text)
  }
  document.addEventListener('copy', put, { once: true })
  // oxlint-disable-next-line typescript/no-deprecated -- the only way there
  const isCopied = document.execCommand('copy')
  document.removeEventListener('copy', put)
  if (!isCopied) throw new Error('the browser did not copy')
}

const textFields = 'input, textarea, [contenteditable]'
/** Keys that may leave a text field. Others type or move the caret. */
const leavesField: ReadonlySet<string> = new Set(['Tab', 'Escape', 'F6'])
const modifiers: ReadonlySet<string> = new Set(['Shift', 'Control', 'Alt', 'Meta'])

/**
 * Marks an element while a pointer is in use. Browsers show the focus ring of a text field, and of an element focused
 * from one, even for a mouse; base.css draws rings only without the mark. Returns a function that stops it.
 */
export function markPointer({ dataset }: HTMLElement): () => void {
  dataset['pointer'] = ''
  const onPointer = () => {
    dataset['pointer'] = ''
  }
  const onKey = ({ key, target }: KeyboardEvent) => {
    if (modifiers.has(key)) return
    const isInField = target instanceof Element && target.matches(textFields)
    if (!isInField || leavesField.has(key)) delete dataset['pointer']
  }
  window.addEventListener('pointerdown', onPointer, true)
  window.addEventListener('keydown', onKey, true)
  return () => {
    window.removeEventListener('pointerdown', onPointer, true)
    window.removeEventListener('keydown', onKey, true)
  }
}

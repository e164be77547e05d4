const textFields = 'input, textarea, [contenteditable]'
/** In a text field other keys write and move the caret. */
const leavesField: ReadonlySet<string> = new Set(['Tab', 'Escape', 'F6'])
const modifiers: ReadonlySet<string> = new Set(['Shift', 'Control', 'Alt', 'Meta'])

/**
 * Marks an element while a pointer is used: browsers show the ring of a text field, and of whatever gets the focus from one,
 * for a mouse too. base.css draws rings without the mark only.
 * Returns a function that ends it.
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

const textFields = 'input, textarea, [contenteditable]'
/** In a text field other keys write and move the caret. */
const leavesField: ReadonlySet<string> = new Set(['Tab', 'Escape', 'F6'])
const modifiers: ReadonlySet<string> = new Set(['Shift', 'Control', 'Alt', 'Meta'])

/**
 * Marks the page while a pointer is used: browsers show the ring of a text field, and of whatever gets the focus from one,
 * for a mouse too. base.css draws rings without the mark only.
 */
export function markPointer(): void {
  const { dataset } = document.documentElement
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
}

/** A key event. React wraps the browser's. */
interface Key extends Pick<KeyboardEvent, 'isComposing' | 'keyCode'> {
  nativeEvent?: KeyboardEvent
}

/** Whether a key belongs to an input method. Safari tells the key that ends a composition only by its code 229. */
export function isComposing(event: Key): boolean {
  const { isComposing, keyCode } = event.nativeEvent ?? event
  return isComposing || keyCode === 229
}

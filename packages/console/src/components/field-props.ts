/** Props of a text field. */
export const textProps = (value: string, onText: (text: string) => void) => ({
  value,
  onChange: ({ currentTarget }: { currentTarget: { value: string } }) => onText(currentTarget.value),
})

/** Props of a switch or checkbox. */
export const checkProps = (checked: boolean, onCheck: (isChecked: boolean) => void) => ({
  checked,
  onChange: ({ currentTarget }: { currentTarget: { checked: boolean } }) => onCheck(currentTarget.checked),
})

/** Props of a form that stays on the page. */
export const submitProps = (submit: () => void) => ({
  onSubmit: (event: { preventDefault(): void }) => {
    event.preventDefault()
    submit()
  },
})

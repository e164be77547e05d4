import { InvalidArgumentError } from 'commander'

/** Makes a parser of a command-line option: a whole number from `min` to `max`. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const number = Number(text)
    if (text.trim() !== '' && Number.isInteger(number) && number >= min && number <= max) return number
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`)
  }
}

/** Makes a parser of a command-line option: comma-separated whole numbers, each from `min` to `max`. */
export function wholeNumbers(min: number, max: number): (text: string) => number[] {
  const read = wholeNumber(min, max)
  return (text) => text.split(',').map(read)
}

import { createElement as createReactElement } from 'react'
import { toReactProps } from './react-props.ts'

export { createContext, Fragment } from 'react'

type Create = (type: unknown, props: object | null, ...children: unknown[]) => unknown

/** Preact's `createElement`, implemented with React. */
export const createElement: Create = (type, props, ...children) =>
  (createReactElement as Create)(type, toReactProps(type, props), ...children)

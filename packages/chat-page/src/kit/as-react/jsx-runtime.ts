import { jsx as reactJsx, jsxs as reactJsxs } from 'react/jsx-runtime'
import { toReactProps } from './react-props.ts'

export { Fragment } from 'react/jsx-runtime'

type Jsx = (type: unknown, props: object, key?: string) => unknown

/** Preact's JSX runtime, implemented with React. */
export const jsx: Jsx = (type, props, key) => (reactJsx as Jsx)(type, toReactProps(type, props), key)
export const jsxs: Jsx = (type, props, key) => (reactJsxs as Jsx)(type, toReactProps(type, props), key)

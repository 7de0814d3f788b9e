"""Messages of kustomize, helm and git: phrases without a value of the package, one a line.

A name in braces stands for a part that `tools/common/program.py` shows, or leaves out.
"""

# Of `kustomize build`, and the limit that each changes, or none. Others write elsewhere, run what the caller names, or
# change the objects after all functions. Source: kustomize/commands/build in kubernetes-sigs/kustomize v5.8.1, and
# `Build` in util/kustomize/kustomize.go of Argo CD, which splits them at blanks. What runs functions has no effect here:
# kustomize then fails, and says so.
KUSTOMIZE_OPTIONS = {
    "--load-restrictor=LoadRestrictionsNone": "reads_anywhere",
    "--load-restrictor=LoadRestrictionsRootOnly": "",
    "--enable-helm": "enable_helm",
    "--enable-alpha-plugins": "",
    "--enable-exec": "",
    "--reorder=none": "",
    "--stack-trace": "",
}

PHRASES = """
Error:
error:
E{number} {number}:{number}:{number}.{number} {blanks}{number} run.go:{number}] "command failed" err={opening}
# Warning: '{name}' is deprecated. Please use '{name}' instead. Run 'kustomize edit fix' to update your Kustomization \
automatically.
# Warning: '{name}' is deprecated. Please use '{name}' instead. [EXPERIMENTAL] Run 'kustomize edit fix' to update your \
Kustomization automatically.
{number}/{number}/{number} {number}:{number}:{number} well-defined vars that were never replaced: {names}
accumulating resources from '{path}'
accumulating resources
accumulating components
accumulation err=
accumulateDirectory
recursed accumulation of path '{path}'
recursed merging from path '{path}'
merging resources from '{path}'
must build at directory
not a valid directory
expected kind '{name}' for path '{path}' but got '{name}'
couldn't make target for path '{path}'
unable to find one of 'kustomization.yaml', 'kustomization.yml' or 'Kustomization' in directory '{path}'
cycle detected: candidate root '{path}' contains visited root '{path}'
security; file '{path}' is not in or below '{path}'
'{path}' must resolve to a file
'{path}': file is not directory
evalsymlink failure on '{path}'
lstat {path}: no such file or directory
no such file or directory
Get "{path}"
hit {number}s timeout running '{any}'
failed to run '{any}'
dial tcp {name}:{number}: connect: connection refused
proxyconnect tcp
fatal: transport '{word}' not allowed
exit status {number}
kustomization.yaml is empty
invalid Kustomization
unknown field "{name}"
json
yaml
line {number}
unmarshal errors
map[string]interface {}(nil)
error converting YAML to JSON
error unmarshaling JSON
while decoding JSON
MalformedYAMLError
in File: {path}
mapping values are not allowed in this context
block sequence entries are not allowed in this context
block mapping entries are not allowed in this context
mapping keys are not allowed in this context
did not find expected {grammar}
could not find expected {grammar}
could not find expected ':'
found character that cannot start any token
found a tab character that violates indentation
found a tab character where an indentation space is expected
found unexpected end of stream
found unexpected document indicator
found unknown escape character
found undefined tag handle
control characters are not allowed
unknown anchor '{any}' referenced
mapping key {any} already defined at line {number}
cannot unmarshal {word} into Go struct field {field} of type struct {rest}
cannot unmarshal {word} into Go struct field {field} of type {type}
cannot unmarshal {word} into Go value of type {type}
cannot unmarshal !!{word} into {type}
cannot unmarshal !!{word} `{any}` into {type}
invalid character {line}
loading KV pairs
loading generator plugins
failed to load generator
literal sources{rest}
env source files: [{any}]: evalsymlink failure on '{file}' : lstat {path}: no such file or directory
env source files: [{file}]: line {any} has invalid utf8 bytes{rest}
env source files{rest}
file sources: [{any}]: evalsymlink failure on '{file}' : lstat {path}: no such file or directory
file sources: [{any}]: '{path}' must resolve to a file
file sources: [{any}]: source {any} key name or file path contains '='
file sources{rest}
configmap {name} illegally repeats the key `{name}`
a configmap must have a name
merging from generator {any} resid.ResId{Gvk:resid.Gvk{{any}Kind:"{name}"{any}Name:"{name}", Namespace:"{any}"} \
does not exist; cannot merge or replace
may not add resource with an already registered id: {id}
namespace transformation produces ID conflict: {rest}
missing {name} in object {any}}}
missing Resource metadata
considering field '{field}' of object {id}
wrong node kind: expected {word} but got {word}: node contents:{rest}
updating name reference in '{field}' field of '{id}'
visit traversal on path: [{names}]
found multiple possible referrals: {word}{rest}
trouble configuring builtin {name} with config: `{any}\\n{blanks}`
plugin {id} fails configuration
failed to get the patch file from path({path})
unable to parse SM or JSON patch from [path: "{path}"]
unable to parse SM or JSON patch from {rest}
patch and path can't be set at the same time{rest}
no resource matches strategic merge patch "{id}"
no matches for Id {id}
multiple matches for Id {id}
failed to find unique target for patch {id}
unknown patch strategy {rest}
decoding {rest}
Unexpected kind: {rest}
error in {word} for path: '{field}'
add operation does not apply
remove operation does not apply
replace operation does not apply
doc is missing path: "{field}"
doc is missing path: {field}
doc is missing key: {field}
Unable to remove nonexistent key: {field}
missing value
testing value {field} failed
test failed
options.index {number} is out of bounds for value {rest}
unable to find field "{field}" in replacement target
fieldPath `{field}` is missing for replacement source {id}
multiple matches for selector {id}
nothing selected by {id}:{field}
nothing selected by {id}
delimiter option can only be used with scalar nodes
field specified in var '{{name} {id} {{field}}}' not found in corresponding resource
merging vars {any}: var '{name}' already encountered
unable to load external plugin '{name}'
external plugins disabled
loading CRDs [{path}]
unable to parse open API definition from '{path}'
must specify --enable-helm
valuesMerge must be one of [{names}]
chart name cannot be empty
no repo specified for pull, no chart found at '{path}'
unable to run: '{any}' with env=[{any}] (is '{word}' installed?)
resource with name {any} does not match a config with the following GVK [{ids}]
the field '{field}' must be one of [{names}]
execution error at ({path}:{number}:{number}): {literal}
parse error at ({path}:{number})
template: {path}:{number}:{number}: executing "{path}" at <include "{repeated}" {any}>: error calling include: \
template: no template "{same}" associated with template "{name}"
template: {path}:{number}:{number}: executing "{path}" at <{code}>
template: {path}:{number}
error calling {name}
no template {any} associated with template "{name}"
template {any} not defined
nil pointer evaluating {type}.{name}
can't evaluate field {name} in type {type}
map has no entry for key "{name}"
function "{name}" not defined
cannot parse template {rest}
error during tpl function execution for {rest}
unterminated quoted string
unclosed action
unexpected EOF
unexpected {{end}}
unexpected {{else}}
undefined variable "${name}"
wrong number of args for {name}: want {number} got {number}
wrong number of args for {name}: want at least {number} got {number}
cannot index slice/array with type {type}
index of nil pointer
index of untyped nil
index out of range: {number}
incompatible types for comparison: {type} and {type}
incompatible types for comparison
{name} is not a method but has arguments
range can't iterate over {rest}
wrong type for value; expected {type}; got {type}
invalid value; expected {type}
expected {type}; found {rest}
len of type {type}
runtime error: integer divide by zero
invalid semantic version
illegal base64 data at input byte {number}
unable to decode base64 certificate
YAML parse error on {path}
cannot load {path}
failed to parse {path}
open {path}: no such file or directory
validation
chart.metadata.{name} is required
chart.metadata.{name} {any} is invalid
chart.metadata.type must be application or library
chart requires kubeVersion: {versions} which is incompatible with Kubernetes {name}
release name {any}: invalid release name, must match regex {any} and the length must not be longer than {number}
library charts are not installable
An error occurred while checking for chart dependencies. You may need to run `helm dependency build` to fetch missing \
dependencies: found in Chart.yaml, but missing in charts/ directory: {names}
found in Chart.yaml, but missing in charts/ directory: {names}
error unpacking subchart {name} in {name}
Chart.yaml file is missing
gzip: invalid header
type mismatch on {field}: {rest}
looks like "{text}" is not a valid chart repository or cannot be reached: {rest}
chart "{name}" version "{versions}" not found in {text} repository
chart "{name}" not found in {text} repository
values don't meet the specifications of the schema(s) in the following chart(s):\\n{name}
{name}{findings}
- at '{pointer}': {text} does not match pattern {line}
- at '{pointer}': {text} is not valid {word}: {line}
- at '{pointer}': value must be {line}
- at '{pointer}': got {word}, want {words}
- at '{pointer}': {word}: got {text}, want {number}
- at '{pointer}': missing property {quoted}
- at '{pointer}': missing properties {quoted}
- at '{pointer}': additional properties {quoted} not allowed
- at '{pointer}': properties {quoted} required, if {quoted} exists
- at '{pointer}': items at {number} and {number} are equal
- at '{pointer}': no items match contains schema
- at '{pointer}': '{word}' failed, none matched
- at '{pointer}': '{word}' failed, subschemas {number}, {number} matched
- at '{pointer}': '{word}' failed
- at '{pointer}': false schema
- at '{pointer}': {line}
- at {line}
"file:///values.schema.json#" is not valid against metaschema: jsonschema validation failed with {line}
{word}.go:{number}: warning: skipped value for {field}: Not a table.
{word}.go:{number}: warning: cannot overwrite table with non table for {field} {line}
{word}.go:{number}: warning: destination for {field} is a table. Ignoring non-table value {line}
{word}.go:{number}: Warning: Condition path '{field}' for chart {name} returned non-bool value
{name}.go:{number}: info: skipping unknown hook: {line}
walk.go:{number}: found symbolic link in path: {path} resolves to {path}. Contents of linked file included and used
WARNING: This chart is deprecated
WARNING: Kubernetes configuration file is {word}-readable. This is insecure. Location: {path}
fatal:
detected dubious ownership in repository at '{path}'
bad config line {number} in file {path}
not a git repository
not a git repository (or any of the parent directories): .git
Unable to create '{path}'
Not a valid object name {name}
bad object {name}
object file {path} is empty
loose object {name} (stored in {path}) is corrupt
index file corrupt
unknown repository extension found
"""

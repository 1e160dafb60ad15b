!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
!bool = !asc.scalar<"bool">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %one = "py.constant"() {value = "1", at = "2:4"} : () -> !int
  %far = "py.constant"() {value = "64", at = "3:4"} : () -> !int
  %back = "py.constant"() {value = "-1", at = "4:4"} : () -> !int
  %a = "py.binary"(%one, %far) {operator = "shl", at = "5:4"} : (!int, !int) -> !int
  %b = "py.binary"(%one, %back) {operator = "shr", at = "6:4"} : (!int, !int) -> !int
  "asc.printf"(%a, %b) {form = "desc: text, arguments: rest", format = "shown", at = "7:4"} : (!int, !int) -> ()
}) {sym_name = "keeps_shifts_without_meaning", parameters = ["n", "m", "x"]} : () -> ()

!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
!bool = !asc.scalar<"bool">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %t = "py.constant"() {value = "1", at = "2:4"} : () -> !bool
  "py.if"(%t) ({
    "asc.printf"(%n) {form = "desc: text, arguments: rest", format = "shown", at = "4:4"} : (!int) -> ()
  }, {
    "asc.printf"(%m) {form = "desc: text, arguments: rest", format = "shown", at = "6:4"} : (!int) -> ()
  }) {at = "3:4"} : (!bool) -> ()
  "asc.printf"(%x) {form = "desc: text, arguments: rest", format = "shown", at = "8:4"} : (!float) -> ()
}) {sym_name = "branch_that_is_taken", parameters = ["n", "m", "x"]} : () -> ()
